"""The rule on merged trees."""

import claim_checks as checks
import pandas as pd
import pytest

from counterpoint.claims import sources
from counterpoint.claims.merged_trees import CLAIM, MERGED


def merged_trees(change=()):
    """Rows with the numbers of table 5.3; what it does not tell follows its text."""
    rows = []
    for name, known in sources.TREES.iterrows():
        pess, size = known["pessN"], known["pessN nodes"]
        values = {
            "bootstrap, errb": (known["errb"], known["errb nodes"]),
            "bootstrap, errb exact": (known["errb"], known["errb nodes"]),
            "bases, errb": (known["errb"], known["errb nodes"]),
            "single, errb": (known["single"], known["single nodes"]),
            "single, errb exact": (known["single"], known["single nodes"]),
            "bootstrap, pessN": (pess, size),
            "bootstrap, pess": (pess + 0.02, size + 40),
            "bases, pessN": (pess + 0.01, size + 20),
            "bases, pess": (pess + 0.03, size + 60),
            "single, pess": (pess + 0.01, size + 5),
            "bagging": (known["bagging"], None),
        } | dict(change)
        for k in range(3):
            for method, (error, nodes) in values.items():
                trees = 21 if method in MERGED else 1
                row = checks.fold_row(name, k, method=method, trees=trees, error=error, nodes=nodes)
                rows.append(row)
    return pd.DataFrame(rows)


def test_the_rule_on_merged_trees():
    found = CLAIM.judge(merged_trees())
    assert found.word == "reproduced"
    assert found.table["errb (ours)"].to_list() == pytest.approx(
        (found.table["errb (theirs)"] + 0.001).to_list()
    )
    assert CLAIM.judge(merged_trees({"bootstrap, errb": (0.5, 400)})).word == "differs"
    worse = {
        "bootstrap, errb": (0.5, 400),
        "bootstrap, pess": (0.01, 5),
        "bootstrap, pessN": (0.02, 400),
        "bases, pessN": (0.02, 5),
        "single, pess": (0.01, 5),
    }
    assert CLAIM.judge(merged_trees(worse)).word == "not reproduced"
