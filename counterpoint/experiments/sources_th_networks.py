"""Chapter 4 of Eastwood's thesis, negative correlation learning; a claim a file."""

from counterpoint.experiments._th_complexity import R12
from counterpoint.experiments._th_dynamics import R10
from counterpoint.experiments._th_lambda import R11

__all__ = ["CLAIMS", "R10", "R11", "R12"]

CLAIMS = (R10, R11, R12)
