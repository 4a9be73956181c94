"""R7-R8: the smoke run, the rule and the picture of each."""

import claim_checks as checks
import numpy as np
import pandas as pd
import pytest

from counterpoint.experiments.sources_svm import _METHODS, _TABLE, CLAIMS, R7, R8


@pytest.fixture(scope="module", params=CLAIMS, ids=lambda claim: claim.id)
def ran(request):
    return request.param, checks.smoke(request.param)


def test_smoke(ran):
    claim, frame = ran
    checks.check_verdict(claim, frame)
    checks.check_figure(claim, frame)
    checks.check_repeats(claim, n=2)


def test_methods_share_their_folds():
    cells = R7.experiment("full").cells()
    first = [c for c in cells if c.values["repeat"] == 0 and c.values["data"] == "sonar"]
    assert len({c.seed for c in first}) == 1
    assert len({c.values["fold"] for c in first}) == 10


def errors(*, raised=0.0, shift=0.0):
    """Rows with the source's errors: NCAB-SVM's raised, all shifted, in points."""
    rows = []
    for fold in range(3):
        for _, known in _TABLE.iterrows():
            for method in _METHODS:
                points = known[method] + shift + raised * (method == "NCAB-SVM")
                row = {"repeat": 0, "fold": fold, "data": known["data"], "method": method}
                rows.append(row | {"test_error": points / 100, "n_test": 10 + fold})
    return pd.DataFrame(rows)


def test_the_rule_on_errors():
    found = R7.judge(errors())
    assert found.word == "reproduced"
    table = found.table.set_index("data")
    assert table["NCAB-SVM (ours)"].to_numpy() == pytest.approx(table["NCAB-SVM (theirs)"])
    assert R7.judge(errors(shift=12)).word == "differs"  # the order holds, the size does not
    assert R7.judge(errors(raised=30)).word == "not reproduced"


def test_errors_cut_short_use_folds_that_all_methods_had():
    frame = errors()
    cut = frame.iloc[:-1].copy()  # NCAB-SVM misses one fold of the last set
    last = cut["data"] == "soybean-large"
    cut.loc[last & (cut["fold"] == 2), "test_error"] = 1.0
    table = R7.judge(cut).table.set_index("data")
    assert table["SVM (ours)"]["soybean-large"] == pytest.approx(11.244)


def clouds(shifts, base=(0.8, 0.42, 0.3376)):
    """Rows in which NCAB-SVM's kappa, error and summary differ from AdaBoost-SVM's by so much."""
    rng = np.random.default_rng(0)
    rows = []
    for fold in range(10):
        for where in ("test", "training"):
            for method in ("AdaBoost-SVM", "NCAB-SVM"):
                values = np.array(base) + (method == "NCAB-SVM") * np.array(shifts)
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
    found = R8.judge(clouds(shifts, base))
    assert found.word == word
    summary = found.table[found.table["what"] == "kappa_error"].iloc[0]
    assert summary["NCAB-SVM (theirs)"] == 0.3204
    assert summary["difference"] == pytest.approx(shifts[2], abs=0.002)


def test_folds_without_pairs_are_left_out():
    frame = clouds((-0.05, -0.02, -0.0172))
    alone = (frame["fold"] == 0) & (frame["method"] == "NCAB-SVM")
    frame.loc[alone, ["kappa", "kappa_error"]] = np.nan
    assert R8.judge(frame).word == "reproduced"
