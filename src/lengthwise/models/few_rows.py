"""What a new token needs of few rows, compiled by numba (the extra ``fast``).

torch's attention and products are made for large matrices; a query or a few rows at a time make
poor ones (`docs/speed.md`). The loops here are run by torch's own workers, since a second set of
threads would fight with them over the cores.

How a call reaches a loop: Python writes sizes and addresses into an array (``task``), OpenMP calls
the compiled function once on each worker with the address of that array, and each worker takes its
share of heads (attention) or of rows of weights (products):

    Python              task = [&sizes, &index, &q, &k, &v, &logits, &out]
    GOMP_parallel       worker 0          worker 1          (torch's threads)
    share of b * h      heads 0 .. 3      heads 4 .. 7      first = n * worker // workers

Nothing is copied and nothing is checked down there: what is passed in is float32, contiguous where
a loop expects it, and outlives the call, which the callers here see to.

Importing this module raises `ImportError` where numba is absent or told not to compile and where
torch's workers are not those of OpenMP, and `RuntimeError` where numba finds no place to keep what
it compiled; everything works without it.
"""

import ctypes
import math
from array import array
from typing import Any

import numba
import numpy as np
import torch
from jaxtyping import Float, Int
from numba import carray, config, types  # pyright: ignore[reportPrivateImportUsage]
from torch import Tensor

if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
    raise ImportError("numba is told not to compile.")
try:
    _on_workers = ctypes.CDLL(None).GOMP_parallel  # torch loads its OpenMP for all to see
except (AttributeError, TypeError):  # the latter on Windows
    raise ImportError("torch's workers are not those of OpenMP.") from None
_on_workers.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint]
_on_workers.restype = None
_worker = types.ExternalFunction("omp_get_thread_num", types.int32())
_workers = types.ExternalFunction("omp_get_num_threads", types.int32())

_SIGNATURE = types.void(types.CPointer(types.voidptr))
_ANY_ORDER = {"reassoc", "contract"}
"""Sums may be taken in any order; infinities keep their meaning."""

SHARE = 2**15
"""Multiplications that are worth a worker."""


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
    assert q.dtype == k.dtype == torch.float32
    q, index = q.contiguous(), index.contiguous()
    out, logits = torch.empty_like(q), q.new_empty((rows, heads, 1, used))
    if bias is not None:
        logits.copy_(bias)
    sizes = array("d", [rows, heads, used, head, apart, scale, bias is not None])
    pointers = [x.data_ptr() for x in (index, q, k, v, logits, out)]
    task = array("q", [sizes.buffer_info()[0], *pointers])
    _run(_ATTENTION, rows * heads * used * head, task)
    return out


class FewRows:
    """A linear map of few rows of float32, with all prepared that stays the same."""

    def __init__(self, weight: Float[Tensor, "i d"], bias: Float[Tensor, "i"] | None) -> None:
        outputs, width = weight.shape
        assert weight.dtype == torch.float32
        self.weight = weight.contiguous()
        self.bias = weight.new_zeros(outputs) if bias is None else bias.contiguous()
        self._size, self._outputs = weight.numel(), outputs
        self._sizes = array("q", [0, width, outputs, 0])
        pointers = [self.weight.data_ptr(), self.bias.data_ptr()]
        self._task = array("q", [self._sizes.buffer_info()[0], *pointers, 0, 0, 0])

    def __call__(
        self, x: Float[Tensor, "b d"], onto: Float[Tensor, "b i"] | None = None
    ) -> Float[Tensor, "b i"]:
        """Return x W^T + b, added to something if that is given."""
        rows = x.shape[0]
        x = x.contiguous()
        out = x.new_empty((rows, self._outputs))
        sizes, task = self._sizes, self._task
        sizes[0], task[3], task[5] = rows, x.data_ptr(), out.data_ptr()
        sizes[3] = onto is not None
        if onto is not None:
            onto = onto.contiguous()
            task[4] = onto.data_ptr()
        _run(_PRODUCT, rows * self._size, task)
        return out

    def __reduce__(self) -> Any:
        """Make copies anew: addresses are those of this one."""
        return FewRows, (self.weight, self.bias)


def _run(function: int | None, work: int, task: "array[int]") -> None:
    """Let as many workers as there is work for run a compiled function."""
    workers = min(torch.get_num_threads(), 1 + work // SHARE)
    _on_workers(function, task.buffer_info()[0], workers, 0)


@numba.njit(fastmath=_ANY_ORDER)
def _attend(q: Any, keys: Any, values: Any, scale: Any, logits: Any, out: Any) -> None:
    """Add the products with the keys to the logits, and write the mixture of the values.

    out = sum_t exp(l_t - max l) v_t / sum_t exp(l_t - max l) with l_t = logits_t + scale q . k_t:
    one pass over the keys, one over the values, and nothing of size (b, h, u, e) in between.
    """
    largest = np.float32(-np.inf)
    for t in range(len(keys)):
        product = np.float32(0)
        for d in range(len(q)):
            product += q[d] * keys[t, d]
        logits[t] += scale * product
        largest = max(largest, logits[t])
    out[:] = 0
    if largest == -np.inf:  # nothing is visible
        return
    total = np.float32(0)
    for t in range(len(keys)):
        logits[t] = math.exp(logits[t] - largest)
        total += logits[t]
    for t in range(len(values)):
        weight = logits[t] / total
        for d in range(len(q)):
            out[d] += weight * values[t, d]


@numba.cfunc(_SIGNATURE, cache=True, fastmath=_ANY_ORDER)
def _attention(task: Any) -> None:
    """Do one worker's share of all rows and heads."""
    numbers: Any = carray(task[0], (7,), np.float64)
    rows, heads, used = int(numbers[0]), int(numbers[1]), int(numbers[2])
    head, apart = int(numbers[3]), int(numbers[4])
    scale, biased = np.float32(numbers[5]), numbers[6]
    index = carray(task[1], (rows,), np.int64)
    queries = carray(task[2], (rows * heads, head), np.float32)
    keys = carray(task[3], (rows * heads, apart), np.float32)
    values = carray(task[4], (rows * heads, apart), np.float32)
    logits = carray(task[5], (rows * heads, used), np.float32)
    out = carray(task[6], (rows * heads, head), np.float32)
    first = rows * heads * _worker() // _workers()
    last = rows * heads * (_worker() + 1) // _workers()
    for i in range(first, last):
        seen = index[i // heads] + 1
        key = keys[i, : seen * head].reshape(seen, head)
        value = values[i, : seen * head].reshape(seen, head)
        if not biased:
            logits[i, :seen] = 0
        _attend(queries[i], key, value, scale, logits[i], out[i])


@numba.njit(fastmath=_ANY_ORDER)
def _multiply(x: Any, weight: Any, out: Any, first: int, last: int) -> None:
    """Multiply four rows with two rows of weights at a time: each number that is read serves often.

              x0 x1 x2 x3      eight sums are kept in registers; in each step of d six numbers are
    weight i  a0 a1 a2 a3      read for eight products, where one row by one row would read two
    weight j  b0 b1 b2 b3      for each

    Rows that are left over go one by one, and the last row of weights may be its own partner.
    """
    whole = len(x) // 4 * 4
    for i in range(first, last, 2):
        j = min(i + 1, last - 1)
        for r in range(0, whole, 4):
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = np.float32(0)
            for d in range(x.shape[1]):
                a, b = weight[i, d], weight[j, d]
                x0, x1, x2, x3 = x[r, d], x[r + 1, d], x[r + 2, d], x[r + 3, d]
                a0 += a * x0
                a1 += a * x1
                a2 += a * x2
                a3 += a * x3
                b0 += b * x0
                b1 += b * x1
                b2 += b * x2
                b3 += b * x3
            out[r, i], out[r + 1, i], out[r + 2, i], out[r + 3, i] = a0, a1, a2, a3
            out[r, j], out[r + 1, j], out[r + 2, j], out[r + 3, j] = b0, b1, b2, b3
        for r in range(whole, len(x)):
            a0 = b0 = np.float32(0)
            for d in range(x.shape[1]):
                a0 += weight[i, d] * x[r, d]
                b0 += weight[j, d] * x[r, d]
            out[r, i], out[r, j] = a0, b0


@numba.cfunc(_SIGNATURE, cache=True, fastmath=_ANY_ORDER)
def _product(task: Any) -> None:
    """Do one worker's share of the weights' rows, two at a time."""
    sizes: Any = carray(task[0], (4,), np.int64)
    rows, width, outputs, has_onto = sizes
    weight = carray(task[1], (outputs, width), np.float32)
    bias = carray(task[2], (outputs,), np.float32)
    x = carray(task[3], (rows, width), np.float32)
    onto = carray(task[4], (rows, outputs), np.float32)
    out = carray(task[5], (rows, outputs), np.float32)
    first = outputs * _worker() // _workers()
    last = outputs * (_worker() + 1) // _workers()
    _multiply(x, weight, out, first, last)
    for r in range(rows):
        for i in range(first, last):
            out[r, i] += bias[i] + (onto[r, i] if has_onto else np.float32(0))


_ATTENTION, _PRODUCT = _attention.address, _product.address
