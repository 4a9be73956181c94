"""Chapter 5 of Eastwood's thesis, one model out of many trees; a claim a file."""

from counterpoint.experiments._th_equivalent import R13
from counterpoint.experiments._th_hyperboxes import R15
from counterpoint.experiments._th_merging import R14

__all__ = ["CLAIMS", "R13", "R14", "R15"]

CLAIMS = (R13, R14, R15)
