"""The rule on churn."""

import claim_checks as checks
import pandas as pd
import pytest

from counterpoint.claims import sources
from counterpoint.claims.churn import CLAIM, NEIGHBOURS, SHARES, SOURCE, STATES, g_of


def test_all_tasks_and_their_numbers():
    frame = checks.smoke("churn")
    assert set(frame["task"]) == {"hmm", "knn", "ncl"}
    assert len(CLAIM.judge(frame).table) == len(SOURCE) + len(sources.CHURN_PRECISION)


def test_a_repeat_has_one_set_of_customers():
    cells = CLAIM.experiment("full").cells()
    assert len({c.seed for c in cells}) == 20
    assert sum(c.values["task"] == "hmm" for c in cells) == 100


def test_g_of_a_printed_matrix():
    # Equation 6.2 by hand, for matrix 6.9: 28 of 44 called, 64 churners among 14946.
    assert g_of(28, 36, 16, 14866) == pytest.approx((28 / 44) / (64 / 14946))


def outcomes(sign=1):
    """Rows in the order that the thesis found, or in the opposite one."""
    g = {"knn": {(1, 1): 5, (2, 1): 150, (3, 1): 130, (2, 2): 20}, "hmm": {2: 119, 3: 81, 6: 40}}
    networks = {0: 23, 8: 16}
    precision = {2: 0.35, 3: 0.3, 6: 0.1}
    if sign < 0:
        g = {"knn": {(1, 1): 30, (2, 1): 20, (3, 1): 40, (2, 2): 15}, "hmm": {2: 60, 3: 80, 6: 90}}
        networks = {0: 65, 8: 90}
        precision = {2: 0.5, 3: 0.6, 6: 0.7}
    rows = []
    for repeat in range(4):
        row = {"repeat": repeat, "customers": 8080}
        noise = 0.1 * (repeat % 2)
        for (length, horizon), value in g["knn"].items():
            for k in NEIGHBOURS:
                more = noise * length  # not the same for all, or intervals have no width
                one = {"task": "knn", "length": length, "horizon": horizon, "k": k}
                rows.append(row | one | {"g": value + more})
        for step, value in networks.items():
            rows.append(row | {"task": "ncl", "step": step, "g": value + noise * (step == 0)})
        for length, value in g["hmm"].items():
            for share in (*SHARES, None):
                one = {"task": "hmm", "length": length, "states": STATES, "share": share}
                one |= {"g": value + noise * length, "g_single": value - 10}
                one["precision"] = precision[length] + 0.01 * noise
                one["precision_single"] = precision[length] - sign * 0.05 - 0.01 * noise * length
                rows.append(row | one)
    return pd.DataFrame(rows)


def test_the_rule():
    found = CLAIM.judge(outcomes())
    assert found.word == "reproduced"
    table = found.table.set_index("g of")["ours"]
    assert table["neighbours, 2 events"] == pytest.approx(150.1)
    hmm_wins = outcomes()
    hmm_wins.loc[(hmm_wins["task"] == "hmm") & (hmm_wins["length"] == 2), "g"] = 300
    assert CLAIM.judge(hmm_wins).word == "differs"
    assert CLAIM.judge(outcomes(-1)).word == "not reproduced"


def test_networks_that_call_nobody_prove_nothing():
    frame = outcomes()
    frame.loc[(frame["task"] == "ncl") & (frame["step"] == 0), "g"] = None
    found = CLAIM.judge(frame)
    assert found.word == "open"
    assert found.parts["networks: g falls with lambda"] is None
