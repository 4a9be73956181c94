"""The attack in small: a few hostile calls of everything public, and that defects are seen."""

import time
from functools import partial

import numpy as np
import pytest
from estimators import quick
from sklearn.utils.validation import has_fit_parameter

from attack import dying, judge, targets, workers

FUNCTIONS = sorted(targets.functions())
ESTIMATORS = sorted(targets.estimators())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_answer_or_say_what_is_wrong(name):
    for seed in range(6):
        kind, text = workers.run_case(name, seed)
        assert kind in workers.FINE, f"{name}:{seed} {text}"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_answer_or_say_what_is_wrong(name):
    for seed in range(3):
        kind, text = workers.run_case(name, seed)
        assert kind in workers.FINE, f"{name}:{seed} {text}"


WEIGHED = [
    name for name in ESTIMATORS if has_fit_parameter(targets.estimators()[name], "sample_weight")
]

# What few of the cases drawn by lot give an option: arrays for one value, sizes that overflow.
VALUES = (np.array([1.0, np.nan]), np.array([]), np.array(2), 1e308, -1e308)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_option_refuses_what_it_cannot_use(name):
    rng, defects = np.random.RandomState(0), []
    for option in sorted(quick(targets.estimators()[name]).get_params(deep=False)):
        for value in VALUES:
            model, X, y = targets.ordinary_fit(targets.estimators()[name], rng)
            model.set_params(**{option: value})
            kind, text = judge.judge(partial(_fit, model, X, y))
            if kind not in workers.FINE:
                defects.append(f"{option}={value!r}: {kind}, {text}")
    assert not defects, "\n".join(defects)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_option_takes_a_word_that_nobody_knows(name):
    rng, taken = np.random.RandomState(0), []
    for option in sorted(quick(targets.estimators()[name]).get_params(deep=False)):
        model, X, y = targets.ordinary_fit(targets.estimators()[name], rng)
        kind, _ = judge.judge(partial(_fit, model.set_params(**{option: "no such word"}), X, y))
        if kind == "answer":
            taken.append(option)
    assert not taken, f"{name} fits whatever {', '.join(taken)} says"


@pytest.mark.parametrize("name", WEIGHED)
def test_weights_of_any_size_count_by_their_ratios(name):
    for size in (1e9, 1e90):
        model, X, y = targets.ordinary_fit(targets.estimators()[name], np.random.RandomState(0))
        weight = np.full(len(X), size)
        fit = partial(_fit, model, X, np.minimum(y, 1), sample_weight=weight)
        kind, text = judge.judge(fit)
        assert kind == "answer", text


def _fit(model, X, y, **options):
    model.fit(X, y, **options)


def test_new_functions_and_estimators_come_in_by_themselves():
    assert {"diversity.kappa_error", "trees.simplify", "combiners.MeanCombiner"} <= {*FUNCTIONS}
    assert {"AdaBoostNCClassifier", "HyperboxClassifier"} <= {*ESTIMATORS}
    assert len(FUNCTIONS) > 130
    assert len(ESTIMATORS) > 50


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: None, "answer"),
        (lambda: int("x" * 3, base=40), "error"),
        (lambda: [].nothing, "AttributeError"),
        (lambda: [][3], "IndexError"),
        (lambda: 1 / 0, "ZeroDivisionError"),
        (lambda: None + 1, "error from deep inside"),
        (lambda: np.ones(2) + np.ones(3), "error from deep inside"),
        (lambda: judge.check_shares([[0.5, 0.6]], "shares"), "bad shares"),
        (lambda: judge.check_shares([[np.nan, 1.0]], "shares"), "bad shares"),
        (lambda: judge.check_shares([[0.25, 0.75]], "shares"), "answer"),
    ],
)
def test_the_judge(call, kind):
    assert judge.judge(call)[0] == kind


@pytest.mark.parametrize(("folder", "kind"), [("counterpoint", "numpy warning"), ("x", "answer")])
def test_a_warning_is_a_defect_where_a_line_of_ours_asked_for_it(folder, kind):
    code = compile("import numpy as np\nnp.float64(1e308) * 10", f"/{folder}/y.py", "exec")
    assert judge.judge(lambda: exec(code))[0] == kind


def test_crashes_and_hangs_are_rows_and_the_rest_goes_on(monkeypatch):
    monkeypatch.setattr(workers, "SECONDS_A_CASE", 0.3)
    worker = workers.Worker(["made up"], 0, run=dying.die)
    end = time.monotonic() + 60
    while worker.board.done[0] < 10 and time.monotonic() < end:
        time.sleep(0.05)
        worker.look_after()
    worker.stop()
    assert [kind for kind, _, _ in worker.defects] == ["crash", "hang"]
    assert [case for _, case, _ in worker.defects] == ["made up:0", "made up:1"]
    assert worker.board.tally[0] >= 8
