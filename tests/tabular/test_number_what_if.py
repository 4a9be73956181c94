import io

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from counterpoint import MemberPredictions, tabular
from counterpoint.combiners import MeanCombiner
from counterpoint.selection import select_forward
from counterpoint.tabular import NumberWhatIf, read_number_predictions
from counterpoint.tabular import number_what_if as module
from counterpoint.tabular.number_outputs import holds_numbers


@pytest.fixture(scope="module")
def outputs():
    rng = np.random.default_rng(0)
    y = rng.normal(5.0, 2.0, size=200)
    common = rng.normal(size=200)
    own = rng.normal(size=(7, 200)) * np.linspace(0.4, 1.6, 7)[:, None]
    return MemberPredictions(y + 0.5 * common + own, y, names=[f"m{k}" for k in range(7)])


@pytest.fixture(scope="module")
def what(outputs):
    return NumberWhatIf(outputs, MeanCombiner(np.arange(1.0, 8.0)))


def answers_of(outputs, rule, on):
    values = outputs.values[on]
    if rule == "own":
        return np.average(values, axis=0, weights=np.arange(1.0, 8.0)[on])
    return values.mean(axis=0) if rule == "mean" else np.median(values, axis=0)


@pytest.mark.parametrize("rule", ["own", "mean", "median"])
def test_a_rule_is_judged_as_scikit_learn_judges_what_it_says(what, outputs, rule):
    on = [0, 2, 3, 6]
    told = what.judge(rule, np.isin(np.arange(7), on).astype(int))
    said = answers_of(outputs, rule, on)
    assert told["error"] == pytest.approx(root_mean_squared_error(outputs.y, said))
    assert told["mae"] == pytest.approx(mean_absolute_error(outputs.y, said))
    assert told["r2"] == pytest.approx(r2_score(outputs.y, said))
    assert told["bias"] == pytest.approx(np.mean(said - outputs.y))
    for name, low, high in (("error", "low", "high"), ("mae", "mae_low", "mae_high")):
        assert told[low] < told[name] < told[high]
    assert (told["n_members"], told["n_rows"], told["n_of"]) == (4, 200, 200)
    assert sum(told["residuals"]["counts"]) == 200


def test_weights_are_those_of_the_mean(what, outputs):
    weights = [0, 3, 1, 0, 0, 2, 1]
    said = np.average(outputs.values, axis=0, weights=weights)
    assert what.judge("mean", weights)["error"] == pytest.approx(
        root_mean_squared_error(outputs.y, said)
    )
    named = dict(zip(outputs.names, weights, strict=True))
    assert what.judge("mean", named) == what.judge("mean", weights)
    for wrong in ({"nobody": 1}, [0] * 7, [1, 2]):
        with pytest.raises(ValueError, match="weights"):
            what.judge("mean", wrong)


def test_every_rule_can_be_asked_and_its_parts_add_up(what):
    names = [rule["name"] for rule in what.rules]
    assert names == ["own", *module.NUMBER_RULES]
    for name in names:
        told = what.judge(name, [1, 1, 1, 1, 1, 0, 1])
        assert told["low"] <= told["error"] <= told["high"]
        for parts in told["decompositions"]:
            first, taken, whole = [term["value"] for term in parts["terms"]]
            assert first + taken == pytest.approx(whole)
            assert taken <= 0
            assert whole == pytest.approx(told["error"] ** 2)
        assert bool(told["decompositions"]) == (name != "median")
    with pytest.raises(ValueError, match="rule='vote'"):
        what.judge("vote")


def test_a_rule_that_learns_is_judged_on_the_other_half(what, outputs):
    said = np.empty(200)
    for fit, held in what._halves:
        best = np.argmin(np.mean((outputs.values[:, fit] - outputs.y[fit]) ** 2, axis=1))
        said[held] = outputs.values[best, held]
    assert what.judge("best")["error"] == pytest.approx(root_mean_squared_error(outputs.y, said))


def test_the_best_of_some_is_judged_on_rows_the_choice_has_not_seen(what, outputs):
    best = what.best([0, 1, 2, 3])
    assert best["rule"] == "mean"
    assert sum(best["weights"][4:]) == 0
    fit, held = what._halves[0]
    some = outputs.take([0, 1, 2, 3]).take_rows(np.sort(fit))
    trace = select_forward(some, "squared", replace=True, n_members=8)
    assert best["weights"] == np.bincount(trace.selected, minlength=7).tolist()
    said = np.average(outputs.values[:, held], axis=0, weights=best["weights"])
    assert best["error"] == pytest.approx(root_mean_squared_error(outputs.y[held], said))


def test_disputed_rows_are_those_that_members_are_farthest_apart_on(what, outputs):
    rows = what.disputed([1, 4, 5], n=6)
    apart = outputs.values[[1, 4, 5]].std(axis=0)
    assert [row["row"] for row in rows] == np.argsort(-apart)[:6].tolist()
    first = rows[0]
    assert first["dispute"] == pytest.approx(apart.max())
    assert first["truth"] == outputs.y[first["row"]]
    assert first["split"][0] <= first["answer"] <= first["split"][-1]
    assert what.rows([first["row"]])[0]["answer"] == pytest.approx(
        outputs.values[:, first["row"]].mean()
    )
    same = MemberPredictions(np.tile(outputs.y, (3, 1)), outputs.y)
    assert NumberWhatIf(same).disputed() == []


def test_growth_ends_with_the_whole(what, outputs):
    grown = what.growth()
    whole = what.judge("own")
    for name in ("error", "low", "high"):
        assert grown[name][-1] == pytest.approx(whole[name])
    assert grown["error"][0] == pytest.approx(np.sqrt(outputs.errors[0]))
    none = NumberWhatIf(outputs, MeanCombiner([0.0, *[1.0] * 6])).growth()
    assert none["error"][0] is None


def test_the_limits_are_those_of_the_fit(outputs):
    frame = pd.DataFrame(outputs.values[:3].T, columns=list("abc")).assign(y=outputs.y)
    fitted = tabular.fit(frame, "y", "bagging", random_state=0)
    what = NumberWhatIf(fitted.assessment.outputs, MeanCombiner())
    told = what.judge("own")
    for name in ("low", "high", "mae", "mae_low", "mae_high", "r2", "r2_low", "r2_high"):
        assert told[name] == pytest.approx(getattr(fitted.score, name), rel=1e-9)


def test_rows_are_drawn_once_where_there_are_too_many_numbers(outputs, monkeypatch):
    monkeypatch.setattr(module, "_MOST_CELLS", 700)
    monkeypatch.setattr(module, "_FEWEST_ROWS", 50)
    what = NumberWhatIf(outputs)
    told = what.judge("mean")
    assert (told["n_rows"], told["n_of"]) == (100, 200)
    assert what.judge("mean", [1] + [0] * 6)["n_rows"] == 100  # the same rows, whoever is asked
    rows = what.disputed(n=3)
    assert all(row["truth"] == outputs.y[row["row"]] for row in rows)


def test_a_shift_is_added_to_the_own_rule_only(outputs):
    what = NumberWhatIf(outputs, MeanCombiner(), shift=0.5)
    plain = what.judge("mean")
    own = what.judge("own")
    assert own["bias"] == pytest.approx(plain["bias"] + 0.5)
    assert own["decompositions"] == []  # it is no mean of members any more


def test_what_cannot_be_judged_is_refused(outputs):
    with pytest.raises(ValueError, match="needs the truth"):
        NumberWhatIf(MemberPredictions(outputs.values))
    with pytest.raises(ValueError, match="unequal weight"):
        NumberWhatIf(MemberPredictions(outputs.values, outputs.y, sample_weight=np.arange(200.0)))


def test_estimates_are_read_from_a_file():
    table = b"name,price,tree,net\nx,1.5,1,2\ny,2.5,3,2.5\n"
    outputs = read_number_predictions(io.BytesIO(table), truth="price", members=["tree", "net"])
    assert outputs.names == ["tree", "net"]
    np.testing.assert_array_equal(outputs.values, [[1, 3], [2, 2.5]])
    np.testing.assert_array_equal(outputs.y, [1.5, 2.5])
    for given, options, word in (
        (table, {"truth": "price"}, "'name'.*holds words"),
        (table, {"truth": "pric"}, "truth column 'pric'"),
        (b"y,a,b\n1.5,2,\n2.5,3,4\n", {"truth": "y"}, "data row 1"),
    ):
        with pytest.raises(ValueError, match=word):
            read_number_predictions(io.BytesIO(given), **options)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("y,a,b\n1.5,2,1\n2.5,3,4\n", True),
        ("y,a,b\n1,2,1\n2,2,1\n", False),
        ("y,a,b\n1,2,x\n2.5,2,y\n", False),
        ("y,a,b\n" + "".join(f"{k},{k + 1},{k}\n" for k in range(40)), True),
    ],
)
def test_numbers_are_told_from_classes(text, numbers):
    assert holds_numbers(tabular.read_table(io.BytesIO(text.encode())), "y") is numbers
