"""Faults put in on purpose: whatever breaks, a result is right or refused, in one line."""
