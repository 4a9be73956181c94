"""From what the members say to one answer."""

from counterpoint.combiners.ranks import combine_ranks, rank_scores

__all__ = ["combine_ranks", "rank_scores"]
