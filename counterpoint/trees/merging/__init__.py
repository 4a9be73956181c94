"""Merging the trees of an ensemble into one, by pruning them together."""
