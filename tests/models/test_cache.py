"""Room for keys and values."""

import mmap

import pytest
import torch

from lengthwise.models.cache import PAGE, large_zeros


class Refused(mmap.mmap):
    """Memory of a system without large pages."""

    def madvise(self, *_):
        raise OSError(22, "Invalid argument")


@pytest.mark.parametrize("shape", [(3, 5), (2, PAGE // 8 + 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("system", ["usual", "refusing", "other"])
def test_large_and_small_memory_is_zero_and_writable(shape, dtype, system, monkeypatch):
    if system == "refusing":
        monkeypatch.setattr(mmap, "mmap", Refused)
    if system == "other":
        monkeypatch.delattr(mmap, "MADV_HUGEPAGE", raising=False)
    got = large_zeros(shape, torch.ones(1, dtype=dtype))
    torch.testing.assert_close(got, torch.zeros(shape, dtype=dtype))
    got += 1
    assert int(got.sum()) == got.numel()


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="large pages are Linux's")
def test_large_memory_starts_at_a_page():
    assert large_zeros((PAGE,), torch.ones(1)).data_ptr() % PAGE == 0
