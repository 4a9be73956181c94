import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import equivalent as naive

from counterpoint.trees.equivalent import grid as module
from counterpoint.trees.equivalent.grid import Grid, Table


def _made(shape, n_classes, seed):
    labels = np.random.RandomState(seed).randint(n_classes, size=shape).astype(np.int8)
    columns = np.arange(len(shape))
    return Grid(labels=labels, columns=columns, cuts=[10 * np.arange(n - 1) for n in shape])


def _walk(splits, grid, cell):
    """Label of a cell, and how deep its leaf is."""
    node, depth = 0, 0
    while splits[node, 0] >= 0:
        f, cut, *sides = splits[node]
        assert cut in grid.cuts[f]
        node, depth = sides[int(10 * cell[f] > cut)], depth + 1
    return splits[node, 1], depth


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(2, 4), min_size=1, max_size=4),
    st.integers(2, 3),
    st.booleans(),
    st.sampled_from([1, 20, 256]),
    st.sampled_from([1, 12, 2000]),
    st.integers(0, 10**6),
)
def test_table_finds_the_smallest_tree(shape, n_classes, deep, block, pieces, seed):
    grid = _made(shape, n_classes, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        patch.setattr(module, "_PIECES", pieces)
        patch.setattr(module, "_SMALL", 0 if seed % 2 else 2**20)
        table = Table(grid, deep=deep, known=grid.labels.size)
        assert table.fits
        assert table.fill(None)
    fewest = naive.smallest_on_grid(lambda cell: grid.labels[cell], shape, deep)
    assert table.cost + (0 if deep else 1) == fewest
    splits = table.splits()
    walked = [_walk(splits, grid, cell) for cell in np.ndindex(*shape)]
    np.testing.assert_array_equal([label for label, _ in walked], grid.labels.ravel())
    if deep:
        assert max(depth for _, depth in walked) == fewest
    else:
        assert (splits[:, 0] < 0).sum() == fewest


@pytest.mark.parametrize(("known", "dtype"), [(100, np.uint16), (2**15, np.uint32)])
def test_costs_have_room_for_sums(known, dtype):
    table = Table(_made((3, 2), 2, 0), deep=False, known=known)
    assert table.fill(None)
    assert table._table.dtype == dtype
    assert table.cost + 1 == naive.smallest_on_grid(
        lambda cell: _made((3, 2), 2, 0).labels[cell], (3, 2), False
    )


def test_many_cells_of_one_column_are_no_block(monkeypatch):
    monkeypatch.setattr(module, "_PAIRS", 1)
    table = Table(_made((40,), 2, 0), deep=False, known=40)
    assert table.fill(None)
    labels = _made((40,), 2, 0).labels
    assert table.cost == (labels[1:] != labels[:-1]).sum()


def test_a_large_tree_is_written_out_in_full():
    labels = (np.indices((40, 40)).sum(axis=0) % 2).astype(np.int8)
    grid = Grid(labels=labels, columns=np.arange(2), cuts=[np.arange(39)] * 2)
    table = Table(grid, deep=False, known=1600)
    assert table.fill(None)
    assert table.cost == 1599
    assert len(table.splits()) == 2 * 1600 - 1


def test_time_runs_out():
    assert not Table(_made((5, 5), 2, 0), deep=True, known=20).fill(time.perf_counter() - 1)


def test_memory_runs_out(monkeypatch):
    def none_left(*args, **kwargs):
        raise MemoryError

    table = Table(_made((5, 5), 2, 0), deep=True, known=20)
    monkeypatch.setattr(module.np, "empty", none_left)
    assert not table.fill(None)


def test_a_table_takes_half_of_what_is_free_at_most(monkeypatch):
    grid = _made((5, 5), 2, 0)  # 225 boxes, of one byte each
    monkeypatch.setattr(module.os, "sysconf", lambda name: 1, raising=False)
    assert not Table(grid, deep=True, known=20).fits
    monkeypatch.setattr(module.os, "sysconf", {"SC_AVPHYS_PAGES": 450, "SC_PAGE_SIZE": 1}.get)
    assert Table(grid, deep=True, known=20).fits


def test_where_the_machine_does_not_say_what_is_free(monkeypatch):
    monkeypatch.delattr(module.os, "sysconf", raising=False)
    assert Table(_made((5, 5), 2, 0), deep=True, known=20).fits
