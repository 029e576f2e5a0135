"""AdamW for all weights, or Muon for the matrices of the blocks and AdamW for the rest."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from lengthwise.records.spec import TrainingConfig


def build_optimizer(model: nn.Module, training: TrainingConfig) -> torch.optim.Optimizer:
    """Create the optimiser; both kinds take the same rate, as Muon's steps are scaled to AdamW's.

    With ``decayed="matrices"`` embeddings, position tables, biases and norms do not decay; with
    ``"weights"`` norms and biases do not, as in the usual trainers.
    """
    common: dict[str, Any] = {
        "lr": training.learning_rate,
        "weight_decay": training.weight_decay,
    }
    adamw: dict[str, Any] = {**common, "betas": (training.beta1, training.beta2), "fused": True}
    if training.optimizer == "adamw" and training.decayed == "all":
        return torch.optim.AdamW(model.parameters(), **adamw)
    if training.optimizer == "adamw" and training.decayed == "weights":
        flat = [p for p in model.parameters() if p.ndim < 2]
        others = {"params": flat, "weight_decay": 0.0}
        return torch.optim.AdamW(
            [{"params": [p for p in model.parameters() if p.ndim > 1]}, others], **adamw
        )
    matrices, rest = _matrices_and_rest(model)
    others: dict[str, Any] = {"params": rest}
    if training.decayed == "matrices":
        others["weight_decay"] = 0.0
    if training.optimizer == "adamw":
        return torch.optim.AdamW([{"params": matrices}, others], **adamw)
    muon = torch.optim.Muon(matrices, adjust_lr_fn="match_rms_adamw", **common)
    return Both(muon, torch.optim.AdamW([others], **adamw))


def _matrices_and_rest(model: nn.Module) -> tuple[list[Any], list[Any]]:
    parts: dict[bool, list[Tensor]] = {True: [], False: []}
    for name, parameter in model.named_parameters():
        parts[name.startswith("blocks.") and parameter.ndim == 2].append(parameter)
    return parts[True], parts[False]


class Both(torch.optim.Optimizer):
    """Two optimisers that step together; parameters are numbered through, the first one's first."""

    def __init__(self, first: torch.optim.Optimizer, second: torch.optim.Optimizer) -> None:
        self.parts = (first, second)
        super().__init__([*first.param_groups, *second.param_groups], {})
        self.param_groups = [*first.param_groups, *second.param_groups]  # theirs, not copies

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients."""
        for part in self.parts:
            part.zero_grad(set_to_none)

    def step(self, closure: Any = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Let both take their step."""
        assert closure is None, "gradients are computed before"
        for part in self.parts:
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """Return the state of both as if it were one optimiser's."""
        state, groups = {}, []
        for part in self.parts:
            shift, own = _count(groups), part.state_dict()
            state |= {shift + index: value for index, value in own["state"].items()}
            groups += [
                {**group, "params": [shift + index for index in group["params"]]}
                for group in own["param_groups"]
            ]
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take back what ``state_dict`` returned."""
        groups, shift = list(state_dict["param_groups"]), 0
        for part in self.parts:
            mine = [groups.pop(0) for _ in part.param_groups]
            size = _count(mine)
            part.load_state_dict(
                {
                    "state": {
                        index - shift: value
                        for index, value in state_dict["state"].items()
                        if shift <= index < shift + size
                    },
                    "param_groups": [
                        {**group, "params": [index - shift for index in group["params"]]}
                        for group in mine
                    ],
                }
            )
            shift += size
        self.param_groups = [group for part in self.parts for group in part.param_groups]


def _count(groups: Iterable[dict[str, Any]]) -> int:
    return sum(len(group["params"]) for group in groups)
