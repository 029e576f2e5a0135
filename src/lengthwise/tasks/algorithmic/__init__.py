"""The eight algorithmic problems of Huang et al. (2024), with their distributions and formats.

Formats, distributions and length conventions were read in the authors' released code.
"""
