"""The rule on the iterations of NCAB-SVM."""

import claim_checks as checks
import pandas as pd
import pytest

from counterpoint.claims.svm_iterations import CLAIM, SETS

ITERATIONS = (5, 10, 20, 40, 80)


def rows(narrow=None, start=0.8, end=0.95, late=0.0):
    """Accuracies that rise up to 20 iterations and change by ``late`` after."""
    made = []
    for data in SETS:
        for fold in range(8):
            for k in ITERATIONS:
                there = min(k, 20) / 20
                right = start + (end - start) * there + late * (k > 20) + 0.001 * fold * (k % 3)
                made.append(
                    {"repeat": 0, "fold": fold, "data": data, "step": 40 / k, "iterations": k}
                    | {"members": k, "training_accuracy": right, "test_accuracy": right}
                    | ({} if narrow is None else {"narrow": narrow})
                )
    return pd.DataFrame(made)


def test_each_reading_has_its_parts():
    both = pd.concat([rows(), rows("on-rejection", start=0.95)], ignore_index=True)
    found = checks.check_verdict(CLAIM, both)
    assert found.word == "differs"
    failed = {name for name, part in found.parts.items() if part is False}
    assert failed == {f"accuracy rises from 5 to 20 iterations on {d} (on rejection)" for d in SETS}
    checks.check_figure(CLAIM, both)


def test_a_reading_that_was_not_run_is_open():
    found = checks.check_verdict(CLAIM, rows())
    assert {part for name, part in found.parts.items() if "on rejection" in name} == {None}
    assert {part for name, part in found.parts.items() if "always" in name} == {True}


def test_what_still_moves_is_not_stable():
    found = CLAIM.judge(rows(late=-0.1))
    assert found.parts["and is stable from 20 on, on ionosphere (always)"] is False


@pytest.mark.parametrize("narrow", ["always", "on-rejection"])
def test_rows_say_how_many_iterations_there_were_and_members(narrow):
    frame = checks.smoke("svm-iterations")
    here = frame[frame["narrow"] == narrow]
    assert (here["members"] <= here["iterations"]).all()
    assert set(here["iterations"]) == {5, 10}
