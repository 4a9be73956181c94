"""The rule on errors of boosted support vector machines."""

import pandas as pd
import pytest

from counterpoint.claims.svm_boosting import ALWAYS, CLAIM, METHODS, SOURCE


def test_methods_share_their_folds():
    cells = CLAIM.experiment("full").cells()
    first = [c for c in cells if c.values["repeat"] == 0 and c.values["data"] == "sonar"]
    assert len({c.seed for c in first}) == 1
    assert len({c.values["fold"] for c in first}) == 10


def errors(*, raised=0.0, shift=0.0):
    """Rows with the source's errors: NCAB-SVM's raised, all shifted, in points."""
    rows = []
    for fold in range(3):
        for _, known in SOURCE.iterrows():
            for method in (*METHODS, "AdaBoost-SVM" + ALWAYS, "NCAB-SVM" + ALWAYS):
                plain = method.removesuffix(ALWAYS)
                points = known[plain] + shift + raised * (plain == "NCAB-SVM")
                row = {"repeat": 0, "fold": fold, "data": known["data"], "method": method}
                rows.append(row | {"test_error": points / 100, "n_test": 10 + fold})
    return pd.DataFrame(rows)


def test_the_rule_on_errors():
    found = CLAIM.judge(errors())
    assert found.word == "reproduced"
    table = found.table.set_index("data")
    assert table["NCAB-SVM (ours)"].to_numpy() == pytest.approx(table["NCAB-SVM (theirs)"])
    assert CLAIM.judge(errors(shift=12)).word == "differs"  # the order holds, the size does not
    assert CLAIM.judge(errors(raised=30)).word == "not reproduced"


def test_errors_cut_short_use_folds_that_all_methods_had():
    frame = errors()
    cut = frame.iloc[:-1].copy()  # NCAB-SVM misses one fold of the last set, by one reading
    last = cut["data"] == "soybean-large"
    cut.loc[last & (cut["fold"] == 2), "test_error"] = 1.0
    table = CLAIM.judge(cut).table.set_index(["narrows", "data"])
    assert table["SVM (ours)"]["always", "soybean-large"] == pytest.approx(11.244)
    assert table["SVM (ours)"]["on rejection", "soybean-large"] > 30
