"""Nothing takes the part of a model that an interrupt left for a whole one."""

import signal
import threading
import warnings
from contextlib import suppress

import pytest
from estimators import public_estimators, quick
from sklearn.base import is_classifier
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from counterpoint._interrupts import stopping, whole
from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.boosting import AdaBoostClassifier
from counterpoint.decomposition import decompose
from counterpoint.exceptions import InterruptedFitWarning

X, y = make_classification(60, 5, random_state=0)
MANY = 10**9


class Stump(DecisionTreeClassifier):
    """Meets a Ctrl-C in one of its fits."""

    n_fits, stop_at = 0, MANY

    def fit(self, X, y, sample_weight=None):
        Stump.n_fits += 1
        if Stump.n_fits == Stump.stop_at:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


class Boosted(AdaBoostClassifier):
    """Counts the parts it kept."""

    n_parts = 0

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        Boosted.n_parts += self.stop_reason_ == "interrupted"
        return self


@pytest.fixture(autouse=True)
def stop_at():
    def stop_at(n):
        Stump.n_fits, Stump.stop_at, Boosted.n_parts = 0, n, 0

    stop_at(MANY)
    yield stop_at
    stop_at(MANY)


def boosted():
    return Boosted(Stump(max_depth=2), n_estimators=3, random_state=0)


def test_alone_it_keeps_its_part_and_says_so(stop_at):
    stop_at(3)
    with pytest.warns(InterruptedFitWarning, match="keeps the 2 members trained so far"):
        model = boosted().fit(X, y)
    assert model.stop_reason_ == "interrupted"
    stop_at(3)
    with pytest.raises(KeyboardInterrupt), whole():
        boosted().fit(X, y)


def composites():
    """Every classifier that fits others, with a boosted one among them."""
    for made in map(quick, public_estimators()):
        names = made.get_params()
        if not is_classifier(made):
            continue
        few = {"n_estimators": 3, "random_state": 0}
        made.set_params(**{name: value for name, value in few.items() if name in names})
        if "estimator" in names:
            yield made.set_params(estimator=boosted())
        elif "pool" in names:
            yield made.set_params(pool=[("boosted", boosted()), ("bayes", GaussianNB())])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", list(composites()), ids=lambda m: type(m).__name__)
def test_no_ensemble_takes_a_part_for_a_member(model, stop_at):
    try:
        model.fit(X, y)
    except (ValueError, TypeError):
        pytest.skip("it takes no such members")
    if Stump.n_fits < 4:
        pytest.skip("it fits no such members")
    stop_at(Stump.n_fits - 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            caught = None
    assert Stump.n_fits >= Stump.stop_at
    assert Boosted.n_parts == 0
    if caught is not None:
        assert any(w.category is InterruptedFitWarning for w in caught)
        assert model.stop_reason_ == "interrupted"


def test_auto_goes_on_with_whole_members(stop_at):
    """Alone; it fits each member on two folds, and those kept again."""
    pool = [("bayes", GaussianNB()), ("boosted", boosted()), ("tree", DecisionTreeClassifier())]
    stop_at(5)
    with pytest.warns(InterruptedFitWarning, match="going on with the 1 members tried so far"):
        model = OverproduceSelectClassifier(pool, cv=2).fit(X, y)
    assert [name for name, _ in model.pool_] == ["bayes"]
    assert model.stop_reason_ == "interrupted"


def test_a_decomposition_counts_whole_trials(stop_at):
    decompose(boosted(), X, y, n_trials=4, random_state=0)
    stop_at(Stump.n_fits)
    with pytest.warns(InterruptedFitWarning, match="rests on the 3 trials of 4"):
        decompose(boosted(), X, y, n_trials=4, random_state=0)
    assert Boosted.n_parts == 0


def deaf(X, y):
    """Swallow a Ctrl-C, as scikit-learn's networks do."""
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_was_swallowed_comes_out():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), whole():
        deaf(X, y)
    with whole():  # and only once
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_and_handlers_are_left_alone(monkeypatch):
    done = []

    def work():
        with stopping(str), whole():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.default_int_handler]
    before = signal.signal(signal.SIGINT, lambda *_: done.append("heard"))
    try:
        with stopping(str) as heard, whole():
            signal.raise_signal(signal.SIGINT)
        assert not heard()
    finally:
        signal.signal(signal.SIGINT, before)
    assert done[1:] == ["heard"]


def test_a_command_hears_the_first_and_leaves_no_trace():
    n_threads = threading.active_count()
    with stopping(str) as heard, pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert heard()
    assert threading.active_count() == n_threads
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.set_wakeup_fd(-1) == -1
    with pytest.raises(KeyboardInterrupt):  # the system's handler is the old one, too
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
