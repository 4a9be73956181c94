"""The rule on networks, nodes and lambda."""

import pandas as pd
import pytest

from counterpoint.claims import sources
from counterpoint.claims.network_complexity import CLAIM, best_settings


def settings(sign=1, *, near=True):
    """Rows that follow the text of section 4.8, or its opposite."""
    rows = []
    for values in CLAIM.smoke:
        row = dict(values) | {"diverged": False}
        data, nets, nodes, strong = row["data"], row["nets"], row["nodes"], row["step"] == 7
        noise = 1e-5 * ((3 * row["repeat"] + nets + nodes) % 2)
        train = 0.2 - sign * (0.001 * nodes + 0.0005 * nets + 0.002 * nets * strong) + noise
        test = 0.2 + noise
        if data == "synthetic":
            test += sign * strong * (0.01 if nodes == 40 else -0.01)
        if data == "liver":
            test += sign * 0.001 * nodes
        if data == "cancer":
            test += 0.02 * strong if sign > 0 else 0.001 * nodes
        best = sources.NETWORK_COMPLEXITY.set_index("data")["error"][data]
        mcr = best if near else best + 0.2
        row |= {"train_mse": train, "test_mse": test, "train_mcr": mcr, "test_mcr": mcr}
        rows.append(row)
    return pd.DataFrame(rows)


def test_the_rule_on_complexity():
    assert CLAIM.judge(settings()).word == "reproduced"
    assert CLAIM.judge(settings(near=False)).word == "differs"
    assert CLAIM.judge(settings(-1, near=False)).word == "not reproduced"


def test_the_best_setting_is_the_lowest_mean():
    frame = settings()
    frame.loc[(frame["data"] == "liver") & (frame["nodes"] == 24), "test_mcr"] = 0.1
    best = best_settings(frame).set_index("data")
    assert best.loc["liver", "nodes"] == 24
    assert best.loc["liver", "error"] == pytest.approx(0.1)
