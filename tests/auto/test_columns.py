"""Dates, texts, names and ids in a frame, given to the flagship as they are."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.auto.columns import expand_columns


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 400
    y = rng.integers(2, size=n)
    words = np.array(["the", "bird", "sang", "and", "then", "it", "flew", "away", "again", "today"])
    text = [" ".join(rng.choice(words, 6)) + (" late" if one else " early") for one in y]
    frame = pd.DataFrame({
        "amount": rng.normal(size=n),
        "text": text,
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(300, size=n), unit="D"),
        "took": pd.to_timedelta(rng.integers(300, size=n), unit="h"),
        "city": [f"city {rng.integers(20) if k % 3 == 0 else k + 20}" for k in range(n)],
        "id": [f"id{k}" for k in range(n)],
        "kind": rng.choice(["a", "b"], n),
    })  # fmt: skip
    frame.loc[::9, ["text", "when", "city"]] = None
    return frame, y


def test_few_columns_are_made_of_texts_dates_and_names(table):
    frame, _ = table
    with pytest.warns(UserWarning, match="every row has a value of its own: id"):
        expand = expand_columns(frame)
    made = expand(frame)
    names = list(made.columns)
    assert {"amount", "kind", "text: late", "text: number of words", "when: weekday",
            "when: days since", "took: days", "city: value"} <= set(names)  # fmt: skip
    assert not [name for name in names if name.startswith("id") or name == "when: hour"]
    there = frame["text"].str.contains("late").fillna(False).astype(float)
    np.testing.assert_array_equal(made["text: late"], there)
    assert made["city: value"].nunique() < 40
    assert made["city: value"].isna().sum() == frame["city"].isna().sum()
    np.testing.assert_allclose(made["took: days"], frame["took"] / np.timedelta64(1, "D"))
    # New rows have what training had, and nothing else.
    new = frame.head(3).assign(city="a new one")
    assert list(pickle.loads(pickle.dumps(expand))(new).columns) == names
    assert set(expand(new)["city: value"]) == {"another value"}


def test_numbers_and_few_categories_are_taken_as_they_are(table):
    assert expand_columns(table[0][["amount", "kind"]]) is None
    with pytest.raises(ValueError, match="no column to learn from: in id every row"):
        expand_columns(table[0][["id"]])


@pytest.mark.filterwarnings("ignore:Left out", "ignore:when holds dates")
def test_the_flagship_learns_from_the_text(table):
    frame, y = table
    pool = [("line", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3))]
    model = OverproduceSelectClassifier(pool, random_state=0).fit(frame[:300], y[:300])
    assert model.score(frame[300:], y[300:]) > 0.85
    assert model.n_features_in_ == 7
    with pytest.raises(ValueError, match="'when' held dates in training"):
        model.predict(frame[300:].assign(when="yesterday"))
    with pytest.raises(ValueError, match="'took' held times in training"):
        model.predict(frame[300:].assign(took=1.0))
    with (
        pytest.raises(ValueError, match="held dates in training"),
        pytest.warns(UserWarning, match="does not have valid feature names"),
    ):
        model.predict(np.zeros((3, 7)))  # an array of numbers only
