"""What a run is given, looked at once before it trains: the task's draws, the encoding's hooks."""

import torch

from lengthwise.models.decoder import check_both_ways
from lengthwise.positions.base import EncodingModule, PositionEncoding, Shape
from lengthwise.positions.hooks import check_hooks
from lengthwise.records.spec import RunSpec
from lengthwise.tasks.base import Task
from lengthwise.tasks.draws import check_draws

FEW = 2
"""Rows on which an encoding is tried."""


def first_look(
    spec: RunSpec, task: Task, encoding: PositionEncoding, module: EncodingModule, context: int
) -> None:
    """Refuse a task or an encoding that is not what it promises, by its class and field."""
    check_both_ways(spec.model, encoding)
    once = spec.model.bidirectional
    batches = [check_draws(task, *bin_, once=once) for bin_ in spec.bins]
    rows = batches[0].rows(batches[0].size.argsort()[:FEW])
    model = spec.model
    shape = Shape(model.layers, model.heads, model.head, model.width, context, model.logit_scale)
    tensors = (torch.from_numpy(x.copy()) for x in (rows.tokens, rows.length, rows.size))
    with torch.random.fork_rng(devices=[]):
        check_hooks(encoding, module, shape, *tensors)
