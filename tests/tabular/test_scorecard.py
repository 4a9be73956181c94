"""Points that add up to what a model says; how much of a tree comes back."""

import numpy as np
import pandas as pd
import pytest

from counterpoint import tabular
from counterpoint.datasets import load


def fitted(name, method="bagging"):
    data = load(name)
    return tabular.fit(data.X.assign(target=data.y), "target", method, random_state=0)


def sums(card, X):
    """Add up the lines of the table by hand."""
    heads = [name for name in card.table.columns if name.startswith("points")]
    lines = {(r["column"], r["value"]): [r[h] for h in heads] for _, r in card.table.iterrows()}
    totals = []
    for _, row in X.iterrows():
        total = np.array(lines.get(("start", ""), [0] * len(heads)))
        for column in dict.fromkeys(card.table["column"]):
            if column != "start":
                total = total + lines[column, _line(card, column, row[column])]
        totals.append(total)
    return np.array(totals)


def _line(card, column, value):
    own = list(card.table["value"][card.table["column"] == column])
    if pd.isna(value):
        return "missing"
    for line in own:
        words = line.split()
        if line == str(value):
            return line
        if line.startswith("up to ") and float(words[-1]) >= value:
            return line
        low = line.startswith("above ") and float(words[1]) < value
        if low and (len(words) == 2 or value <= float(words[3])):
            return line
    return "any other"


@pytest.mark.parametrize("name", ["labor", "iris", "german-credit"])
def test_the_table_alone_gives_the_answers(name):
    model = fitted(name)
    card = tabular.explain(model).scorecard()
    rows = model.X_test
    by_hand = sums(card, rows)
    if card.cutoff is not None:
        said = card.classes[(by_hand[:, 0] >= card.cutoff).astype(int)]
    else:
        said = card.classes[by_hand.argmax(axis=1)]
    assert said.tolist() == card.predict(rows).tolist()
    assert card.fidelity == pytest.approx(np.mean(said == model.model.predict(rows)))
    assert card.fidelity > 0.75
    assert "Add up the points" in card.sentence()


def test_a_model_that_says_one_thing_has_no_points():
    X = pd.DataFrame({"a": np.arange(40.0) / 2})
    y = np.array(["yes"] * 38 + ["no"] * 2)
    model = tabular.fit(X.assign(y=y), "y", "majority")
    with pytest.raises(ValueError, match="always says the same"):
        tabular.explain(model).scorecard()


def test_what_is_clear_comes_back_and_what_is_noise_does_not():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    clear = np.where(X["a"] > 0, "yes", "no")
    model = tabular.fit(X.assign(y=clear), "y", "bagging")
    back = tabular.explain(model, max_leaves=2, n_resamples=3).stability
    assert back.n_resamples == 3
    assert back.splits == 1.0
    assert back.first == 1.0
    assert back.decisions > 0.97
    noise = rng.choice(["yes", "no"], 300)
    model = tabular.fit(X.assign(y=noise), "y", "bagging")
    shaken = tabular.explain(model, max_leaves=16, n_resamples=3).stability
    assert shaken.decisions < back.decisions
    assert shaken.splits < 1.0
    assert "resampled rows" in shaken.summary()["sentence"]
    assert tabular.explain(model).stability is None
