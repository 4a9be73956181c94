"""The rule on Australian credit."""

import pandas as pd
import pytest

from counterpoint.claims.australian_credit import CLAIM


def credit(ncl, bp, cart):
    errors = {"NCL, strength 0.5": ncl, "BP": bp, "CART": cart, "Logistic regression": 0.12}
    return pd.DataFrame(
        [
            {"repeat": k, "method": name, "test_error": value + 0.001 * (k % (2 + len(name) % 3))}
            for k in range(6)
            for name, value in errors.items()
        ]
    )


@pytest.mark.parametrize(
    ("errors", "word"),
    [
        ((0.12, 0.15, 0.15), "reproduced"),
        ((0.14, 0.13, 0.16), "differs"),  # too far from 0.120, and not below BP
        ((0.20, 0.15, 0.15), "not reproduced"),
    ],
)
def test_the_rule_on_credit(errors, word):
    found = CLAIM.judge(credit(*errors))
    assert found.word == word
    ours = found.table.set_index("method")["ours"]
    assert ours["NCL, strength 0.5"] == pytest.approx(errors[0], abs=0.003)
    assert found.table.set_index("method")["theirs"]["CART"] == 0.145


def test_credit_that_was_cut_short():
    whole = credit(0.12, 0.15, 0.15)
    assert CLAIM.judge(whole.iloc[:-2]).word == "reproduced"  # the last repeat lacks CART
