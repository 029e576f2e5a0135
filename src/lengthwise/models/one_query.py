"""Attention of one new token over the kept keys and values, compiled by numba (the extra ``fast``).

torch's fused attention multiplies matrices, and a single query makes poor ones: it reads keys and
values at about half of the speed that the memory has (`docs/speed.md`). Here each head is read in
one go, by torch's own workers, since a second set of threads would fight with them over the cores.

Importing this module raises `ImportError` without numba and where torch's workers are not those of
OpenMP; everything works without it.
"""

import ctypes
import math
from typing import Any

import numba
import numpy as np
import torch
from jaxtyping import Float, Int
from numba import carray, types  # pyright: ignore[reportPrivateImportUsage]
from torch import Tensor

try:
    _run_on_workers = ctypes.CDLL(None).GOMP_parallel  # torch loads its OpenMP for all to see
except (AttributeError, TypeError):  # the latter on Windows
    raise ImportError("torch's workers are not those of OpenMP.") from None
_run_on_workers.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint]
_run_on_workers.restype = None
_worker = types.ExternalFunction("omp_get_thread_num", types.int32())
_workers = types.ExternalFunction("omp_get_num_threads", types.int32())

_ANY_ORDER = {"reassoc", "contract"}
"""Sums may be taken in any order; infinities keep their meaning."""


def attend_once(
    q: Float[Tensor, "b h 1 e"],
    k: Float[Tensor, "b h u e"],
    v: Float[Tensor, "b h u e"],
    bias: Float[Tensor, "..."] | None,
    index: Int[Tensor, "b 1"],
    scale: float,
) -> Float[Tensor, "b h 1 e"]:
    """Attend to the keys up to each row's own index.

    Keys and values are float32 tensors as `models.cache` keeps them: the heads of all rows lie one
    after the other, at equal distances. The bias broadcasts to (b, h, 1, u).
    """
    rows, heads, used, head = k.shape
    apart = k.stride(1)
    assert k.stride() == v.stride() == (heads * apart, apart, head, 1)
    out = torch.mul(q, scale, out=k.new_empty(q.shape))
    logits = k.new_zeros(rows, heads, 1, used)
    if bias is not None:
        logits.copy_(bias)
    index = index.contiguous()
    sizes = np.array([rows, heads, used, head, apart])
    task = np.array([sizes.ctypes.data, *(x.data_ptr() for x in (index, out, k, v, logits))])
    _run_on_workers(_work.address, task.ctypes.data, torch.get_num_threads(), 0)
    return out


@numba.njit(fastmath=_ANY_ORDER)
def _attend(q: Any, keys: Any, values: Any, logits: Any) -> None:
    """Add the products with the keys to the logits, and turn the query into the mixture."""
    largest = np.float32(-np.inf)
    for t in range(len(keys)):
        product = np.float32(0)
        for d in range(len(q)):
            product += q[d] * keys[t, d]
        logits[t] += product
        largest = max(largest, logits[t])
    total = np.float32(0)
    for t in range(len(keys)):
        logits[t] = math.exp(logits[t] - largest)
        total += logits[t]
    q[:] = 0
    for t in range(len(values)):
        weight = logits[t] / total
        for d in range(len(q)):
            q[d] += weight * values[t, d]


@numba.cfunc(types.void(types.CPointer(types.voidptr)), cache=True, fastmath=_ANY_ORDER)
def _work(task: Any) -> None:
    """Do one worker's share of all rows and heads."""
    sizes: Any = carray(task[0], (5,), np.int64)
    rows, heads, used, head, apart = sizes
    index = carray(task[1], (rows,), np.int64)
    queries = carray(task[2], (rows * heads, head), np.float32)
    keys = carray(task[3], (rows * heads, apart), np.float32)
    values = carray(task[4], (rows * heads, apart), np.float32)
    logits = carray(task[5], (rows * heads, used), np.float32)
    first = rows * heads * _worker() // _workers()
    last = rows * heads * (_worker() + 1) // _workers()
    for i in range(first, last):
        seen = index[i // heads] + 1
        key = keys[i, : seen * head].reshape(seen, head)
        value = values[i, : seen * head].reshape(seen, head)
        _attend(queries[i], key, value, logits[i])
