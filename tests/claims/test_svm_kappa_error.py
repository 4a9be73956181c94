"""The rule on clouds of pairs."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.claims.svm_boosting import ALWAYS
from counterpoint.claims.svm_kappa_error import CLAIM


def clouds(shifts, base=(0.8, 0.42, 0.3376)):
    """Rows in which NCAB-SVM's kappa, error and summary differ from AdaBoost-SVM's by so much."""
    rng = np.random.default_rng(0)
    rows = []
    for fold in range(10):
        for where in ("test", "training"):
            for method in (
                "AdaBoost-SVM",
                "NCAB-SVM",
                "AdaBoost-SVM" + ALWAYS,
                "NCAB-SVM" + ALWAYS,
            ):
                values = np.array(base) + method.startswith("NCAB") * np.array(shifts)
                values = values + 0.001 * rng.standard_normal(3)
                row = {"repeat": 0, "fold": fold, "method": method, "n_members": 5, "rows": where}
                measured = zip(("kappa", "pair_error", "kappa_error"), values, strict=True)
                rows.append(row | dict(measured))
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("shifts", "base", "word"),
    [
        ((-0.05, -0.02, -0.0172), (0.8, 0.42, 0.3376), "reproduced"),
        ((-0.05, -0.02, -0.0172), (0.2, 0.3, 0.06), "differs"),  # the order, not the size
        ((0.05, 0.02, 0.01), (0.2, 0.3, 0.06), "not reproduced"),
    ],
)
def test_the_rule_on_clouds(shifts, base, word):
    found = CLAIM.judge(clouds(shifts, base))
    assert found.word == word
    summary = found.table[found.table["what"] == "kappa_error"].iloc[0]
    assert summary["NCAB-SVM (theirs)"] == 0.3204
    assert summary["difference"] == pytest.approx(shifts[2], abs=0.002)


def test_folds_without_pairs_are_left_out():
    frame = clouds((-0.05, -0.02, -0.0172))
    alone = (frame["fold"] == 0) & (frame["method"] == "NCAB-SVM")
    frame.loc[alone, ["kappa", "kappa_error"]] = np.nan
    assert CLAIM.judge(frame).word == "reproduced"
