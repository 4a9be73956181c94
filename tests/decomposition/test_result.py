import dataclasses

import numpy as np
import pandas as pd
import pytest

from counterpoint import decomposition
from counterpoint.decomposition import (
    Parts,
    bias_variance,
    bias_variance_covariance,
    domingos,
    kohavi_wolpert,
)


@pytest.fixture
def parts():
    rng = np.random.RandomState(0)
    return bias_variance_covariance(rng.normal(size=40), rng.normal(size=(6, 3, 40)))


def test_table_of_averages(parts):
    table = parts.table()
    assert table.index.name == "part"
    assert list(table.index) == [
        "noise", "bias", "signed_bias", "variance", "covariance", "error",
    ]  # fmt: skip
    assert dict(table["average"]) == parts.averages
    assert np.isnan(table.loc["signed_bias", "contribution"])
    assert table.loc["variance", "contribution"] == pytest.approx(
        table.loc["variance", "average"] / 3
    )
    added = table["contribution"].drop("error").sum()
    assert added == pytest.approx(table.loc["error", "contribution"])


def test_table_per_sample(parts):
    table = parts.table(per_sample=True)
    assert table.shape == (40, 6)
    assert table.index.name == "sample"
    np.testing.assert_array_equal(table["bias"], parts.bias)


def test_averages_use_the_weights():
    y, labels, weight = [0, 1, 1], [[0, 0, 1], [0, 1, 0], [0, 0, 0]], [1.0, 0.0, 3.0]
    weighted = domingos(y, labels, sample_weight=weight)
    twice = domingos([0, 1, 1, 1], [[*row[:1], *row[2:], row[2], row[2]] for row in labels])
    for name, value in weighted.averages.items():
        assert value == pytest.approx(twice.averages[name])
    assert sum(weighted.contributions.values()) == pytest.approx(weighted.averages["error"])


def test_residual_shows_a_violation(parts):
    assert parts.residual < 1e-12
    broken = dataclasses.replace(parts, bias=parts.bias + 0.1)
    assert broken.residual > 1e-3
    nothing = bias_variance([0.0], [[0.0]])
    assert nothing.residual == 0


def test_parts_are_frozen(parts):
    with pytest.raises(dataclasses.FrozenInstanceError):
        parts.bias = 0


def test_repr_is_one_line_of_averages(parts):
    assert repr(kohavi_wolpert(["a"], [["a"], ["b"]])) == (
        "KohaviWolpertParts(noise=0, bias=0.25, variance=0.25, error=0.5)"
    )
    assert "\n" not in repr(parts)


def test_intervals(parts):
    frame = parts.intervals(level=0.8, random_state=0)
    assert list(frame.columns) == ["low", "average", "high"]
    assert (frame["low"] <= frame["average"]).all()
    assert (frame["average"] <= frame["high"]).all()
    pd.testing.assert_frame_equal(frame, parts.intervals(level=0.8, random_state=0))
    wider = parts.intervals(level=0.99, random_state=0)
    assert wider.loc["error", "high"] > frame.loc["error", "high"]


def test_intervals_are_those_of_a_mean():
    # of a mean of n values, a normal interval is 1.645 standard errors wide to each side
    rng = np.random.RandomState(0)
    values = rng.normal(5, 1, size=400)
    found = bias_variance(np.zeros(400), values[None]).intervals(0.9, random_state=1)
    reach = 1.645 * values.std() / 20
    mean = values.mean()
    np.testing.assert_allclose(
        found.loc["signed_bias", ["low", "high"]], [mean - reach, mean + reach], atol=0.03
    )


def test_intervals_leave_samples_without_weight_out():
    weight = np.zeros(30)
    weight[4] = 2.0
    parts = bias_variance(np.zeros(30), np.arange(30.0)[None], sample_weight=weight)
    frame = parts.intervals(random_state=0)
    assert frame.loc["error", "low"] == frame.loc["error", "high"] == 16


@pytest.mark.parametrize("level", [0, 1, -0.5, 90])
def test_level_must_be_a_coverage(parts, level):
    with pytest.raises(ValueError, match="give a number above 0 and below 1"):
        parts.intervals(level)


def test_intervals_need_resamples(parts):
    with pytest.raises(ValueError, match="n_resamples=0"):
        parts.intervals(n_resamples=0)


def test_all_names_exist_and_are_told():
    for name in decomposition.__all__:
        assert hasattr(decomposition, name)
    functions = [
        name for name in decomposition.__all__ if name.islower() and name not in ("decompose",)
    ]
    for name in functions:
        assert f"``{name}``" in decomposition.__doc__


@pytest.mark.parametrize("kind", Parts.__subclasses__())
def test_identity_names_only_parts(kind):
    known = {field.name for field in dataclasses.fields(kind)} | {"N"}
    words = "".join(c if c.isalnum() or c == "_" else " " for c in kind.identity).split()
    assert {word for word in words if not word.isdigit()} <= known
