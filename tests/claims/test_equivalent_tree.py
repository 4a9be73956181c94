"""The rule on trees equivalent to bagging."""

import claim_checks as checks
import pandas as pd
import pytest

from counterpoint.claims import sources
from counterpoint.claims.equivalent_tree import CLAIM, METHODS, run


def equivalents(*, unpruned=None, nodes=1.0, pruned=None):
    """Rows with the numbers of table 5.2, or with others in their place."""
    rows = []
    for name, known in sources.TREES.iterrows():
        errors = known[["unpruned", "pessimistic", "bagging", "single"]].astype(float).to_dict()
        errors |= {} if unpruned is None else {"unpruned": unpruned}
        errors |= {} if pruned is None else {"pessimistic": pruned}
        sizes = {"unpruned": known["unpruned nodes"] * nodes, "single": known["single nodes"]}
        sizes["pessimistic"] = known["pessimistic nodes"] if pruned is None else 1e4
        for k in range(3):
            rows += [
                checks.fold_row(name, k, threshold=0.8, method=m, error=e, nodes=sizes.get(m))
                for m, e in errors.items()
            ]
    return pd.DataFrame(rows)


def test_the_rule_on_equivalent_trees():
    found = CLAIM.judge(equivalents())
    assert found.word == "reproduced"
    assert found.table["unpruned nodes (ours)"].to_list() == pytest.approx(
        found.table["unpruned nodes (theirs)"].to_list()
    )
    assert CLAIM.judge(equivalents(unpruned=0.5)).word == "differs"
    frame = equivalents(unpruned=0.2, nodes=1e-4, pruned=0.9)
    # Between single trees and bagging on no real set: below bagging on two, above on one.
    frame.loc[(frame["data"] == "cancer") & (frame["method"] == "bagging"), "error"] = 0.9
    assert CLAIM.judge(frame).word == "not reproduced"


def test_nothing_agreed_on_is_no_number():
    # Forty bootstrap trees are hardly ever of one mind in an overlap drawn at random.
    values = {"data": "liver", "repeat": 0, "fold_": 0, "threshold": 0.999, "trees": 40}
    rows = pd.DataFrame(run(seed=0, overlaps=20, **values)).set_index("method")
    assert rows.loc[list(METHODS), "error"].isna().all()
    assert rows.loc[["bagging", "single"], "error"].notna().all()
