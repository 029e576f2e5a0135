"""Position without encodings: weights for this package's decoder that build it from the mask.

:func:`position_decoder` returns a two-block NoPE decoder whose first block writes the absolute
position into one channel and whose second block has logits that fall with the distance;
:func:`verify` measures how exactly. Kazemnejad et al. (2023, arXiv 2305.19466), Theorems 1 and 2.
"""
