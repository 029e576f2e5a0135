"""Digit by digit: the step-by-step and selection tasks of Chen, Liang and Lin (2025).

Formats are our reconstruction; the circuits, relations and layouts are those of
``lengthwise.relations``.
"""
