"""One table of encodings, used by every law: all registered ones, and variants worth a check."""

import torch

from lengthwise.models.config import ModelConfig
from lengthwise.models.decoder import Decoder
from lengthwise.positions import POSITIONS, example, load_position

VARIANTS = (
    "rope:fraction=0.5",
    "rope:scaling=linear,factor=2",
    "rope:scaling=ntk,factor=3",
    "rope:scaling=yarn,factor=2,original=8",
    "rope:scaling=yarn,factor=4,original=16,fast=4,ramp=whole-pairs,gain=1.5",
    "rope:scaling=llama3,factor=8,original=32,fast=4",
    "shaw:clip=0",
    "shaw:clip=2",
    "kerple:kernel=power",
    "t5:buckets=6,max_distance=9",
    "ipe:relation=(j==i-2)+2*(j==i),attention=hard",
    "ipe:relation=(j==i-2)+2*(j==i),attention=gap",
    "ipe:relation=select-middle,attention=hard",
    "ipe-sh:relation=parity,attention=hard",
    "lbpe:vectors=true",
    "lbpe:predictor=lines,hard=true",
    "window:size=4,encoding=alibi",
    "hybrid:window:size=3,encoding=rope+nope",
    "hybrid:t5+ape",
    "randomised:encoding=ape,stretch=2",
    "bias:function=-abs(i-j-2)",
)
CASES = tuple(example(name) for name in POSITIONS) + VARIANTS

CONTEXT, VOCABULARY, LENGTH = 40, 9, 12


def make_model(text: str, seed: int = 0, **changes) -> Decoder:
    """A two-layer model in double precision whose encoding's parameters are far from trivial."""
    torch.manual_seed(seed)
    config = ModelConfig(**{"layers": 2, "heads": 2, "width": 16, **changes})
    model = Decoder(config, VOCABULARY, load_position(text), CONTEXT)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model.double().eval()


def make_tokens(rows: int = 3, length: int = LENGTH, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, VOCABULARY, (rows, length), generator=generator)


SCALE = torch.tensor([3, 4, 5])
