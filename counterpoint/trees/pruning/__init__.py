"""Pruning trees: what a leaf costs, passes from the leaves up, and paths of prunings."""
