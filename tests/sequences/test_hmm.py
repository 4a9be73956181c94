import itertools
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import sequences as naive
from numba import njit
from sklearn.exceptions import ConvergenceWarning

from counterpoint._kernels import sequences as kernels
from counterpoint.sequences import MixtureHMM, em
from counterpoint.sequences.data import as_sequences

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@njit
def _careful(*arguments):
    return kernels._careful(*arguments)  # only compiled code calls it


def drawn(seed, n=40, d=2, longest=5, missing=0.0):
    rng = np.random.RandomState(seed)
    made = []
    for _ in range(n):
        x = rng.randn(rng.randint(1, longest + 1), d) + 3 * rng.randint(2)
        x[rng.random_sample(x.shape) < missing] = np.nan
        made.append(x)
    return made


def parts(model):
    return (
        model.start_.tolist(),
        model.transitions_.tolist(),
        model.mixture_.tolist(),
        model.means_.tolist(),
        model.covariances_.tolist(),
    )


def told(x):
    return [[None if np.isnan(v) else float(v) for v in row] for row in x]


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("covariance", ["full", "diag", "tied"])
def test_likelihoods_states_and_paths_equal_the_sum_over_all_paths(covariance, missing):
    data = drawn(0, missing=missing)
    model = MixtureHMM(3, n_mixtures=2, covariance=covariance, max_iter=5, random_state=0).fit(data)
    likelihood, states, paths = (
        model.score_samples(data[:8]),
        model.predict_state_proba(data[:8]),
        model.decode(data[:8]),
    )
    for k, x in enumerate(data[:8]):
        assert likelihood[k] == pytest.approx(
            naive.log_likelihood(told(x), *parts(model)), rel=1e-8
        )
        np.testing.assert_allclose(
            states[k], naive.state_probabilities(told(x), *parts(model)), atol=1e-9
        )
        assert tuple(paths[k]) == naive.best_path(told(x), *parts(model))


@pytest.mark.parametrize("case", ["full-4", "diag-3", "full-12"])
def test_hmmlearn_says_the_same_of_the_same_model(case):
    with np.load(Path(__file__).parents[1] / "golden" / "hmm.npz") as file:
        golden = {name.partition("/")[2]: file[name] for name in file if name.startswith(case)}
    names = ("start", "transitions", "mixture", "means", "covariances")
    model = MixtureHMM.from_parameters(*(golden[name] for name in names))
    sequences = np.split(golden["X"], np.cumsum(golden["lengths"])[:-1])
    np.testing.assert_allclose(model.score_samples(sequences), golden["log_likelihood"], rtol=1e-8)
    states = np.concatenate(model.predict_state_proba(sequences))
    np.testing.assert_allclose(states, golden["states"], atol=1e-8)
    np.testing.assert_array_equal(np.concatenate(model.decode(sequences)), golden["paths"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transitions": [[1.0]]}, "do not go together"),
        ({"start": [0.5, 0.6]}, "start must hold shares"),
        ({"covariances": -np.ones((2, 1, 1, 1))}, "positive definite"),
    ],
)
def test_wrong_parameters_say_so(change, message):
    good = {
        "start": [0.5, 0.5],
        "transitions": np.eye(2),
        "mixture": np.ones((2, 1)),
        "means": np.zeros((2, 1, 1)),
        "covariances": np.ones((2, 1, 1, 1)),
    }
    with pytest.raises(ValueError, match=message):
        MixtureHMM.from_parameters(**(good | change))


@given(
    st.integers(0, 10_000),
    st.sampled_from(["full", "diag", "tied"]),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.2]),
)
def test_em_never_lowers_the_likelihood(seed, covariance, n_mixtures, missing):
    data = drawn(seed, n=25, missing=missing)
    weight = np.random.RandomState(seed).random_sample(25) + 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MixtureHMM(
            2, n_mixtures=n_mixtures, covariance=covariance, max_iter=12, tol=0, random_state=seed
        ).fit(data, sample_weight=weight)
    rise = np.diff(model.log_likelihood_)
    rise = np.delete(rise, model.restarts_)
    assert (rise >= -1e-9).all()
    assert model.score(data, sample_weight=weight) == pytest.approx(model.log_likelihood_[-1])


def test_a_planted_model_is_found_again():
    rng = np.random.RandomState(0)
    truth = MixtureHMM.from_parameters(
        start=[0.9, 0.1],
        transitions=[[0.7, 0.3], [0.2, 0.8]],
        mixture=[[1.0], [1.0]],
        means=[[[-2, 0]], [[2, 1]]],
        covariances=np.tile(np.eye(2) * 0.3, (2, 1, 1, 1)),
    )
    data = truth.sample(rng.randint(3, 9, size=400), random_state=1)
    model = MixtureHMM(2, n_starts=3, random_state=2).fit(data)
    order = np.argsort(model.means_[:, 0, 0])
    np.testing.assert_allclose(
        model.means_[order, 0], truth.means_[np.argsort(truth.means_[:, 0, 0]), 0], atol=0.15
    )
    np.testing.assert_allclose(
        model.transitions_[np.ix_(order, order)], [[0.7, 0.3], [0.2, 0.8]], atol=0.06
    )
    np.testing.assert_allclose(model.start_[order], [0.9, 0.1], atol=0.06)


def test_moves_and_first_states_that_cannot_be_stay_so():
    ladder = np.triu(np.ones((3, 3)))
    model = MixtureHMM(
        3, transitions=ladder, first_states=[1, 0, 0], max_iter=20, random_state=0
    ).fit(drawn(1))
    assert (model.transitions_[ladder == 0] == 0).all()
    assert model.start_.tolist() == [1.0, 0.0, 0.0]
    assert all((np.diff(path) >= 0).all() for path in model.decode(drawn(1)))


def test_numbers_that_underflow_are_taken_in_logarithms():
    model = MixtureHMM(2, max_iter=10, random_state=0).fit(drawn(0))
    # So far out that the densities of all states but one are 0 in floating point.
    far = [np.array([[60.0, -50.0], [-60.0, 50.0], [1.0, 1.0]])]
    found = model.score_samples(far)
    assert np.isfinite(found).all()
    scaled = model._scale(as_sequences(far))
    log_e, plain, _ = model._chain.emissions(scaled.values)
    rows = np.empty_like(plain)
    total = _careful(
        log_e, 0, model._chain.log_start, model._chain.log_move, 1, rows, np.zeros((2, 2))
    )
    assert found[0] == pytest.approx(total - model._scaling(as_sequences(far))[0])
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)


def over_all_paths(log_e, log_start, log_move):
    """Log-likelihood, shares of states and of moves, by every path there is."""
    length, n_states = log_e.shape
    paths = list(itertools.product(range(n_states), repeat=length))
    logs = np.array([
        log_start[p[0]] + sum(log_e[t, q] for t, q in enumerate(p))
        + sum(log_move[a, b] for a, b in itertools.pairwise(p)) for p in paths
    ])  # fmt: skip
    total = np.logaddexp.reduce(logs)
    share, moves = np.zeros((length, n_states)), np.zeros((n_states, n_states))
    for path, weight in zip(paths, np.exp(logs - total) if total > -np.inf else [], strict=False):
        for t, q in enumerate(path):
            share[t, q] += weight
        for a, b in itertools.pairwise(path):
            moves[a, b] += weight
    return total, share, moves


def test_events_that_speak_for_states_out_of_reach_are_counted_in_logarithms():
    with np.errstate(divide="ignore"):
        log_start = np.log([1.0, 0.0])
        log_move = np.log([[0.75, 0.25], [0.0, 1.0]])  # once left, a state is never seen again
    log_e = np.array([
        [-2.0, -1.0], [-1.0, -2.0],  # fast
        [-900.0, -1.0], [-1.0, -2.0], [-1.0, -3.0],  # begins where it may not, and must pay
        [-1.0, -2.0], [-2.0, -1.0], [-1.0, -800.0],  # stays, for the sake of its end
        [-np.inf, -1.0],  # cannot be
    ])  # fmt: skip
    start, weight = np.array([0, 2, 5, 8, 9]), np.array([1.0, 2.0, 0.5, 1.0])
    rows, offset = kernels.less_the_most(log_e)
    np.exp(rows, out=rows)
    found, firsts, moves = kernels.pass_over(
        log_e, rows, offset, start, log_start, log_move, 1, weight
    )
    expected = [
        over_all_paths(log_e[a:b], log_start, log_move) for a, b in itertools.pairwise(start)
    ]
    np.testing.assert_allclose(found, [total for total, _, _ in expected])
    assert found[-1] == -np.inf
    weighed = [w * share for w, (_, share, _) in zip(weight, expected, strict=True)]
    np.testing.assert_allclose(rows, np.concatenate(weighed), atol=1e-12)
    np.testing.assert_allclose(firsts, sum(share[0] for share in weighed))
    np.testing.assert_allclose(
        moves, sum(w * pairs for w, (_, _, pairs) in zip(weight, expected, strict=True)), atol=1e-12
    )


def test_the_careful_way_equals_the_fast_one():
    model = MixtureHMM(3, n_mixtures=2, max_iter=5, random_state=0).fit(drawn(3))
    chain, data = model._chain, model._scale(as_sequences(drawn(4, n=6)))
    log_e, plain, offset = chain.emissions(data.values)
    weight = np.ones(6)
    fast, firsts, moves = kernels.pass_over(
        log_e, plain, offset, data.start, chain.log_start, chain.log_move, 2, weight
    )
    gamma, pairs, slow = np.zeros_like(plain), np.zeros((3, 3)), []
    for a, b in zip(data.start[:-1], data.start[1:], strict=True):
        slow.append(_careful(log_e[a:b], a, chain.log_start, chain.log_move, 2, gamma, pairs))
    np.testing.assert_allclose(fast, slow)
    np.testing.assert_allclose(plain, gamma, atol=1e-12)
    np.testing.assert_allclose(moves, pairs, atol=1e-12)
    assert firsts.sum() == pytest.approx(6)


@pytest.mark.parametrize(("n_events", "d", "n_parts"), [(1, 1, 1), (7, 2, 3), (9, 5, 4)])
def test_densities_and_moments_match_naive(n_events, d, n_parts):
    rng = np.random.RandomState(0)
    X, share = rng.randn(n_events, d), rng.random_sample((n_events, n_parts))
    forms = rng.randn(1 + d + d * (d + 1) // 2, n_parts)
    rows = [naive.quadratic(x) for x in X.tolist()]
    np.testing.assert_allclose(kernels.densities(X, forms), np.array(rows) @ forms)
    np.testing.assert_allclose(kernels.moments(X, share), share.T @ np.array(rows))
    rest, most = kernels.less_the_most(share)
    assert most.tolist() == [max(row) for row in share.tolist()]
    np.testing.assert_allclose(rest + most[:, None], share)


def test_threads_and_chunks_change_nothing(monkeypatch):
    data = drawn(7, n=60)
    one = MixtureHMM(3, max_iter=8, random_state=0).fit(data)
    monkeypatch.setattr(em, "CHUNK", 20)
    several = MixtureHMM(3, max_iter=8, random_state=0).fit(data)
    monkeypatch.setattr(em, "_WORTH_THREADS", 0)
    monkeypatch.setattr(em.numba, "get_num_threads", lambda: 3)
    threaded = MixtureHMM(3, max_iter=8, random_state=0).fit(data)
    np.testing.assert_allclose(several.means_, one.means_)
    np.testing.assert_array_equal(threaded.means_, several.means_)
    np.testing.assert_array_equal(threaded.score_samples(data), several.score_samples(data))


def test_a_weight_of_two_is_two_copies():
    data = drawn(5)
    weight = np.random.RandomState(0).randint(0, 3, size=len(data))
    copies = [x for x, w in zip(data, weight, strict=True) for _ in range(w)]
    one = MixtureHMM(2, max_iter=10, random_state=0).fit(data, sample_weight=weight)
    two = MixtureHMM(2, max_iter=10, random_state=0).fit(copies)
    np.testing.assert_allclose(np.sort(one.means_.ravel()), np.sort(two.means_.ravel()))


def test_scaling_a_column_changes_nothing_but_the_unit():
    data = drawn(6)
    model = MixtureHMM(2, max_iter=10, random_state=0).fit(data)
    other = MixtureHMM(2, max_iter=10, random_state=0).fit([x * [1000.0, 0.01] for x in data])
    np.testing.assert_allclose(other.means_, model.means_ * [1000.0, 0.01], rtol=1e-6)
    shift = np.log(1000.0 * 0.01) * np.array([len(x) for x in data])
    np.testing.assert_allclose(
        other.score_samples([x * [1000.0, 0.01] for x in data]),
        model.score_samples(data) - shift,
    )


def test_dead_components_are_set_anew():
    data = [np.zeros((3, 1)) for _ in range(20)] + [np.ones((3, 1))]
    model = MixtureHMM(3, n_mixtures=2, max_iter=30, random_state=0).fit(data)
    assert np.isfinite(model.score_samples(data)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_states": 0}, "n_states=0"),
        ({"n_mixtures": 1.5}, "n_mixtures=1.5"),
        ({"covariance": "round"}, "choose .full., .diag., .tied."),
        ({"floor": 0}, "from 1e-100"),
        ({"transitions": np.zeros((4, 4))}, "lead somewhere"),
        ({"transitions": np.ones((2, 2))}, r"expected \(4, 4\)"),
        ({"first_states": [0, 0, 0, 0]}, "able to begin"),
    ],
)
def test_wrong_options_say_what_to_change(options, message):
    with pytest.raises(ValueError, match=message):
        MixtureHMM(**options).fit(drawn(0))


def test_too_few_events_and_empty_sequences_say_so():
    with pytest.raises(ValueError, match="too few for 4 states"):
        MixtureHMM(4).fit([[[1.0], [2.0]]])
    with pytest.raises(ValueError, match="Sequence 1 has shape"):
        MixtureHMM(1).fit([np.ones((2, 1)), np.ones((0, 1))])
    model = MixtureHMM(1).fit(drawn(0))
    with pytest.raises(ValueError, match="2 were there in training"):
        model.score_samples([np.ones((2, 3))])


def test_em_that_has_not_ended_warns():
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        MixtureHMM(3, max_iter=2, tol=0, random_state=0).fit(drawn(0))


def test_a_pickled_model_answers_the_same():
    data = drawn(0)
    model = MixtureHMM(2, random_state=0).fit(data)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.score_samples(data), model.score_samples(data))
