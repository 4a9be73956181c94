"""The rule on the dynamics of training."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.claims import sources
from counterpoint.claims.training_dynamics import CLAIM, ideal_growth


def training(growth, members):
    rows = []
    for repeat in range(16):
        for lam, factor in growth.items():
            at = {"repeat": repeat, "lam": lam, "epochs": 5000, "diverged": False}
            start = {f"member_{i}": value for i, value in enumerate((0.4, -0.2, 0.1))}
            end = {f"member_{i}": value for i, value in enumerate(members)}
            rows.append(at | {"epoch": 0, "spread": 0.5} | start)
            rows.append(at | {"epoch": 5000, "spread": 0.5 * factor} | end)
    return pd.DataFrame(rows)


def test_the_rule_on_dynamics():
    good = {0.76: 30.0, 0.75: 1.0, 0.7: 0.1, 0.0: 0.01}
    found = CLAIM.judge(training(good, (1.0, -0.9, 0.1)))
    assert found.word == "reproduced"
    assert found.table["lambda"].to_list() == list(sources.TRAINING_DYNAMICS)
    assert CLAIM.judge(training(good, (0.2, 0.2, 0.2))).word == "differs"  # members are as near
    bad = {0.76: 1.0, 0.75: 3.0, 0.7: 3.0, 0.0: 3.0}
    assert CLAIM.judge(training(bad, (0.2, 0.2, 0.2))).word == "not reproduced"


def test_outputs_that_ran_away_count_as_spread():
    frame = training({0.75: 1.0, 0.7: 0.1, 0.0: 0.01}, (1.0, -0.9, 0.1))
    away = [{"repeat": r, "lam": 0.76, "epoch": 5000, "diverged": True} for r in range(16)]
    frame = pd.concat([pd.DataFrame(away), frame], ignore_index=True)
    assert CLAIM.judge(frame).word == "reproduced"
    CLAIM.draw(frame)


def test_ideal_growth():
    assert ideal_growth(0.75, 5000) == pytest.approx(1)
    assert ideal_growth(0.76, 5000) == pytest.approx(np.exp(0.05 * 5000 / 75))
    assert ideal_growth(0.0, 10) == pytest.approx(np.exp(-0.5))
