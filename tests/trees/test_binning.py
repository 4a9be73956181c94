import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from counterpoint.trees import binning as module
from counterpoint.trees.binning import Binner

finite = st.floats(-1e6, 1e6, width=32) | st.integers(-3, 3).map(float) | st.just(np.nan)


@settings(max_examples=40, deadline=None)
@given(
    X=arrays(float, st.tuples(st.integers(1, 40), st.integers(1, 3)), elements=finite),
    max_bins=st.integers(2, 20),
)
def test_bins_keep_order_and_are_few(X, max_bins):
    binned = Binner(max_bins).fit_transform(X)
    for f in range(X.shape[1]):
        column, codes = X[:, f], binned.codes[:, f]
        present = ~np.isnan(column)
        assert (codes[~present] == module.MISSING).all()
        assert binned.has_missing[f] == (~present).any()
        distinct = np.unique(column[present])
        assert binned.n_bins[f] <= max_bins
        assert (codes[present] < binned.n_bins[f]).all()
        order = np.argsort(column[present], kind="stable")
        assert (np.diff(codes[present][order].astype(int)) >= 0).all()
        assert binned.exact[f] == (len(distinct) <= max_bins)
        if binned.exact[f]:
            np.testing.assert_array_equal(binned.values[f, codes[present]], column[present])
        else:
            assert len(np.unique(codes[present])) == binned.n_bins[f]


def test_edges_are_halfway_between_neighbours():
    binned = Binner().fit_transform(np.array([[1.0], [2.0], [4.0], [2.0]]))
    assert binned.edges[0, :3].tolist() == [1.5, 3.0, np.inf]


def test_edges_stay_below_the_higher_neighbour():
    low = 1.0
    high = np.nextafter(low, 2)
    binned = Binner().fit_transform(np.array([[low], [high]]))
    assert binned.codes.ravel().tolist() == [0, 1]


def test_quantile_bins_hold_about_as_many_rows():
    X = np.random.RandomState(0).lognormal(size=(10_000, 1))
    binned = Binner(50).fit_transform(X)
    counts = np.bincount(binned.codes.ravel())
    assert len(counts) == 50
    assert counts.min() >= 195
    assert counts.max() <= 205


def test_a_frequent_value_has_its_own_bin():
    rng = np.random.RandomState(0)
    X = np.where(rng.uniform(size=5000) < 0.9, 0.0, rng.normal(size=5000)).reshape(-1, 1)
    binned = Binner(20).fit_transform(X)
    zero = binned.codes[X.ravel() == 0][0, 0]
    assert (X[binned.codes.ravel() == zero] == 0).all()
    assert binned.n_bins[0] == 20  # the rest is not squeezed into the other tenth of the bins


def test_new_data_are_put_into_the_old_bins():
    binner = Binner().fit(np.array([[0.0], [1.0], [2.0]]))
    codes = binner.transform(np.array([[-9.0], [0.4], [0.5], [0.6], [9.0], [np.nan]])).codes
    assert codes.ravel().tolist() == [0, 0, 0, 1, 2, 255]


def test_many_rows_are_sampled_and_rare_values_are_not_lost(monkeypatch):
    monkeypatch.setattr(module, "_SAMPLE", 100)
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.normal(size=5000), np.zeros(5000)])
    X[17, 1] = 3.0
    binned = Binner(16).fit_transform(X)
    assert binned.n_bins.tolist() == [16, 2]
    assert binned.exact.tolist() == [False, True]
    assert binned.codes[17, 1] == 1
    assert np.bincount(binned.codes[:, 0]).max() < 3 * 5000 / 16
    again = Binner(16).fit_transform(X)
    np.testing.assert_array_equal(again.codes, binned.codes)


@pytest.mark.parametrize("sample", [100, 200_000])
def test_some_rows_have_the_bins_of_a_table_of_them_alone(monkeypatch, sample):
    monkeypatch.setattr(module, "_SAMPLE", sample)
    monkeypatch.setattr(module, "_PIECE", 64)
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.normal(size=900), rng.randint(0, 9, 900), rng.randint(0, 5, 900)])
    X[::7, 0] = np.nan
    rows = rng.permutation(900)[:500]
    X[np.setdiff1d(np.arange(900), rows), 1:] += 100  # not to be seen
    some = Binner(20, [False, False, True]).fit_transform(X, rows)
    alone = Binner(20, [False, False, True]).fit_transform(X[rows])
    for name in ("codes", "edges", "values", "n_bins", "exact", "has_missing"):
        np.testing.assert_array_equal(getattr(some, name), getattr(alone, name))


def test_float32_gives_the_bins_of_float64():
    X = np.random.RandomState(0).normal(size=(500, 2)).astype(np.float32)
    narrow, wide = Binner().fit_transform(X), Binner().fit_transform(X.astype(float))
    np.testing.assert_array_equal(narrow.codes, wide.codes)


@pytest.mark.parametrize("max_bins", [1, 256, 2.5, None])
def test_wrong_max_bins(max_bins):
    with pytest.raises(ValueError, match="give a whole number from 2 to 255"):
        Binner(max_bins).fit([[0.0]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], r"X has shape \(2,\), expected \(n_samples, n_features\)"),
        (np.empty((0, 2)), r"X has shape \(0, 2\)"),
        ([[0.0], [np.inf]], "infinite values"),
    ],
)
def test_wrong_data(X, message):
    with pytest.raises(ValueError, match=message):
        Binner().fit(X)


def test_wrong_number_of_columns():
    with pytest.raises(ValueError, match="X has 2 columns, but the bins were made for 1"):
        Binner().fit([[0.0], [1.0]]).transform([[0.0, 1.0]])
