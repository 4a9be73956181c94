"""The rule on error against lambda."""

from itertools import product

import pandas as pd
import pytest

from counterpoint.claims import sources
from counterpoint.claims.lambda_star import CLAIM, SETTINGS, exploded


def curves(slopes, *, explodes=True, shift=0.0):
    """Rows whose test errors are those of table 4.1, or fall by a slope in place of that."""
    rows = []
    for name in SETTINGS:
        known = sources.LAMBDA_STAR.xs(name)
        for repeat, nets in product(range(16), range(2, 7)):
            if nets != 3 and name != "synthetic":
                continue
            for step in range(9):
                row = {"repeat": repeat, "data": name, "nets": nets, "step": step, "faster": 1}
                noise = 1e-5 * ((7 * repeat + step) % 3)
                fall = slopes[name] * min(step, 7) / 7
                bend = 0.01 if name == "liver" and step == 3 and explodes else 0.0
                mcr = known["mcr"][0] + shift + (known["mcr"][7] - known["mcr"][0]) * step / 7
                row |= {"train_mse": 0.2 + fall + noise, "test_mse": 0.2 + fall + noise - bend}
                row |= {"train_mcr": mcr, "test_mcr": mcr, "diverged": False}
                if step == 8 and explodes:
                    gone = ("train_mse", "test_mse", "train_mcr", "test_mcr")
                    row |= dict.fromkeys(gone, None) | {"diverged": True}
                rows.append(row)
    return pd.DataFrame(rows)


def test_the_rule_on_lambda():
    falling = {"synthetic": -0.02, "cancer": -0.05, "liver": -0.005}
    found = CLAIM.judge(curves(falling))
    assert found.word == "reproduced"
    assert found.table["error (ours)"].to_list() == pytest.approx(
        found.table["error (theirs)"].to_list()
    )
    assert CLAIM.judge(curves(falling, explodes=False)).word == "differs"
    rising = {"synthetic": 0.02, "cancer": 0.02, "liver": -0.001}
    assert CLAIM.judge(curves(rising, explodes=False, shift=0.2)).word == "not reproduced"


def test_explosion_is_counted_by_repeat():
    rows = curves({"synthetic": 0.0, "cancer": 0.0, "liver": 0.0})
    one = rows[rows["data"] == "cancer"].copy()
    one["train_mse"] = one["train_mse"].astype(float)
    assert exploded(one).all()
    calm = (one["repeat"] == 0) & (one["step"] == 8)
    one.loc[calm, ["train_mse", "diverged"]] = [0.2, False]
    assert exploded(one).mean() == pytest.approx(15 / 16)
    assert len(exploded(one[one["step"] < 8])) == 0
