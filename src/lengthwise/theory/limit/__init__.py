"""Limit transformers: programs compiled to weights, and the norm-based theory around them."""

from lengthwise.theory.limit.compiler import compile_program
from lengthwise.theory.limit.transformer import LimitHead, LimitLayer, LimitTransformer

__all__ = ["LimitHead", "LimitLayer", "LimitTransformer", "compile_program"]
