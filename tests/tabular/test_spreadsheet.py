"""Cells of CSV files that a spreadsheet must not run."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.tabular.spreadsheet import plain_cell, safe_cell, to_csv

STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", " =", "\uff1d"]


@pytest.mark.parametrize("start", STARTS)
def test_a_formula_becomes_text(start):
    assert safe_cell(f"{start}cmd|' /C calc'!A0") == f"'{start}cmd|' /C calc'!A0"
    assert plain_cell(f"'{start}x") == f"{start}x"


@pytest.mark.parametrize("value", ["-2", "+1.5e-3", "-.5", -2, -2.5, None, "a=b", "", "'tis"])
def test_what_is_no_formula_stays(value):
    assert safe_cell(value) == value
    assert plain_cell(value) == value


@given(st.text("=+-@'\t\r\n 1a\uff1d", max_size=6) | st.text(max_size=4))
def test_round_trip(text):
    assert plain_cell(safe_cell(text)) == text


def test_cells_and_names_but_no_numbers():
    frame = pd.DataFrame(
        {
            "=x": pd.Categorical(["@a", "b"]),
            "n": [-1, 2],
            "f": np.array([-0.1, 2], dtype=np.float32),
            "mixed": ["-", -3],
        }
    )
    plain = to_csv(frame, spreadsheet_safe=False)
    assert plain == frame.to_csv(index=False)
    assert to_csv(frame, spreadsheet_safe=True) == (
        plain.replace("=x", "'=x").replace("@a", "'@a").replace(",-\n", ",'-\n")
    )
    same = frame.set_axis(["a"] * 4, axis=1)  # two columns of one name
    assert pd.read_csv(io.StringIO(to_csv(same, spreadsheet_safe=True))).shape == (2, 4)
    assert to_csv(frame[:0], spreadsheet_safe=True) == "'=x,n,f,mixed\n"
