"""Compiled loops: plain arrays in, plain arrays out.

Callers have checked the arrays. Kernels draw no random numbers. Every kernel has a slow
twin in ``tests/naive`` and gives the same answer at any thread count.
"""
