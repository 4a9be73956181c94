import errno
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys

import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

from counterpoint.large import BinnedStore, crew, looking, sources
from counterpoint.large import writing as writing_module
from counterpoint.trees import HistTreeClassifier
from counterpoint.trees.binning import MISSING, Binner


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    made = pd.DataFrame({"x": rng.normal(size=1000), "k": rng.integers(9, size=1000).astype(float)})
    made.loc[::7, "x"] = np.nan
    return made.assign(y=np.where(made["k"] > 4, "high", "low"))


@pytest.fixture
def files(frame, tmp_path):
    for i in range(4):
        frame[250 * i : 250 * i + 250].to_parquet(tmp_path / f"part-{i}.parquet", index=False)
    return tmp_path


def test_bins_are_those_of_memory(files, frame):
    store = BinnedStore.write(files / "part-*.parquet", files / "store", target="y", max_bins=32)
    binner = Binner(32)
    binned = binner.fit_transform(frame[["x", "k"]].to_numpy())
    for name in ("edges", "values", "exact", "n_bins", "has_missing"):
        np.testing.assert_array_equal(store.cuts[name], getattr(binned, name))
    codes = store.codes().transpose(0, 2, 1).reshape(-1, 2)[:1000]
    expected = np.where(binned.codes == MISSING, binned.n_bins, binned.codes)
    np.testing.assert_array_equal(codes, expected)
    assert store.classes.tolist() == ["high", "low"]
    np.testing.assert_array_equal(store.classes[store.targets()], frame["y"])
    assert store.class_counts == frame["y"].value_counts()[["high", "low"]].tolist()
    # What stands for a bin lies in it.
    np.testing.assert_array_equal(binner.encode(store.decode(codes)), binned.codes)
    store.verify()


def test_every_source_gives_the_same_store(files, frame):
    frame.to_csv(files / "rows.csv", index=False)
    frame.to_feather(files / "rows.arrow")
    sources = {
        "folder": files,
        "list": sorted(map(str, files.glob("part-*.parquet"))),
        "csv": files / "rows.csv",
        "arrow": files / "rows.arrow",
        "pandas": frame,
        "table": pa.Table.from_pandas(frame, preserve_index=False),
        "dataset": pa.dataset.dataset(sorted(files.glob("part-*.parquet"))),
        "polars": pl.from_pandas(frame),
        "lazy": pl.scan_parquet(files / "part-*.parquet"),
    }
    made = {}
    (files / "apart").mkdir()
    for name in ("rows.csv", "rows.arrow"):
        shutil.move(files / name, files / "apart" / name)
    sources |= {"csv": files / "apart/rows.csv", "arrow": files / "apart/rows.arrow"}
    for name, source in sources.items():
        store = BinnedStore.write(source, files / "apart" / name, target="y")
        made[name] = (store.codes().tobytes(), store.targets().tobytes(), store.classes.tolist())
    frames = dask.dataframe.from_pandas(frame, npartitions=3)
    store = BinnedStore.from_dask(frames, files / "apart" / "dask", target="y")
    made["dask"] = (store.codes().tobytes(), store.targets().tobytes(), store.classes.tolist())
    assert all(one == made["folder"] for one in made.values())


def test_writing_goes_on_where_it_stopped(files, monkeypatch):
    whole = BinnedStore.write(files / "part-*.parquet", files / "whole", target="y")
    monkeypatch.setattr(writing_module, "chunk_rows", lambda n: 64)
    monkeypatch.setattr(writing_module, "_OFTEN", 1)
    small = BinnedStore.write(files / "part-*.parquet", files / "small", target="y")

    class Stop(Exception):
        pass

    real, n_calls = writing_module._encode, []

    def stop_late(*args):
        n_calls.append(1)
        if len(n_calls) == 3:
            raise Stop
        return real(*args)

    monkeypatch.setattr(writing_module, "_encode", stop_late)
    with pytest.raises(Stop):
        BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    with pytest.raises(ValueError, match="was not finished"):
        BinnedStore(files / "store")
    monkeypatch.setattr(writing_module, "look", None)  # the first pass is not done again
    store = BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    assert len(n_calls) == 3 + 3  # one part was written, two were begun, and the rest
    assert store.codes().tobytes() == small.codes().tobytes()
    assert store.checksums == small.checksums
    np.testing.assert_array_equal(store.targets(), whole.targets())
    store.verify()


_KILLED = """
import os, signal, sys
from counterpoint.large import BinnedStore, crew, looking, sources
looking._EVERY, sources.BATCH, real, calls = 0.0, 100, looking.look_at, []
def look_at(*args):
    calls.append(1)
    if len(calls) == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args)
looking.look_at = look_at
BinnedStore.write(sys.argv[1], sys.argv[2], target="y", progress=False)
"""


def test_looking_goes_on_where_it_was_killed(files, monkeypatch):
    """Four files of three batches each; killed in the second file, after five batches."""
    source, folder = files / "part-*.parquet", files / "store"
    command = [sys.executable, "-c", _KILLED, str(source), str(folder)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert [path.name for path in folder.iterdir()] == ["looking.npz"]
    (folder / ".part-0123456789abcdef.npz").touch()  # as if it had been writing at that moment
    with pytest.raises(ValueError, match="was not finished"):
        BinnedStore(folder)
    whole = BinnedStore.write(source, files / "whole", target="y")
    real, calls = looking.look_at, []
    monkeypatch.setattr(sources, "BATCH", 100)
    monkeypatch.setattr(looking, "look_at", lambda *args: (calls.append(1), real(*args)))
    store = BinnedStore.write(source, folder, target="y")
    assert len(calls) == 4 * 3 - 5
    for name in ("codes.bin", "target.bin", "cuts.npz"):
        assert (folder / name).read_bytes() == (files / "whole" / name).read_bytes()
    assert store.checksums == whole.checksums
    assert sorted(os.listdir(folder)) == sorted(os.listdir(files / "whole"))


@pytest.mark.parametrize("spoil", ["source", "options", "notes"])
def test_notes_about_other_rows_are_not_read(spoil, files, frame, monkeypatch):
    """What a pass that was stopped has noted serves for the same rows and options alone."""
    source, folder = files / "part-*.parquet", files / "store"
    monkeypatch.setattr(looking, "_EVERY", 0.0)
    real, calls = looking.look_at, []

    def stop_late(*args):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(looking, "look_at", stop_late)
        with pytest.raises(KeyboardInterrupt):
            BinnedStore.write(source, folder, target="y")
    assert (folder / "looking.npz").exists()
    options = {"target": "y"}
    if spoil == "source":
        changed = files / "part-0.parquet"
        pd.read_parquet(changed).assign(x=1.0).to_parquet(changed, index=False)
    elif spoil == "options":
        options["columns"] = ["k"]
    else:
        (folder / "looking.npz").write_bytes((folder / "looking.npz").read_bytes()[:50])
    store = BinnedStore.write(source, folder, **options)
    fresh = BinnedStore.write(source, files / "fresh", **options)
    assert store.codes().tobytes() == fresh.codes().tobytes()
    assert store.class_counts == fresh.class_counts
    store.verify()


def test_bins_do_not_depend_on_batches_or_format(files, monkeypatch):
    """More values than are known exactly, in batches of every size: the parts alone count."""
    rng = np.random.default_rng(0)
    many = pd.DataFrame({"x": rng.normal(size=60_000), "y": rng.integers(2, size=60_000)})
    for k in range(2):
        half = many[30_000 * k : 30_000 * (k + 1)]
        for ending in ("parquet", "feather"):
            path = files / f"many-{k}.{ending}"
            getattr(half.reset_index(drop=True), f"to_{ending}")(path)
    frames = dask.dataframe.from_pandas(many, npartitions=2)
    assert frames.divisions == (0, 30_000, 59_999)
    made = {}
    for batch in (1 << 17, 7000):
        monkeypatch.setattr(sources, "BATCH", batch)
        for ending in ("parquet", "feather"):
            store = BinnedStore.write(
                files / f"many-*.{ending}", files / f"{ending}-{batch}", target="y"
            )
            made[ending, batch] = store
    made["dask"] = BinnedStore.from_dask(frames, files / "dask", target="y")
    assert made["dask"].sketch_error[0] > 0
    assert len({store.cuts["edges"].tobytes() for store in made.values()}) == 1
    assert len({store.codes().tobytes() for store in made.values()}) == 1


def test_a_class_unseen_in_the_first_files_is_a_class(files, frame):
    last = files / "part-3.parquet"
    pd.read_parquet(last).assign(y="other").to_parquet(last, index=False)
    store = BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    assert store.classes.tolist() == ["high", "low", "other"]
    assert HistTreeClassifier().fit(store).classes_.tolist() == ["high", "low", "other"]


def _without(path, frame):
    frame.drop(columns="k").to_parquet(path, index=False)


def _with_more(path, frame):
    frame.assign(more=1.0).to_parquet(path, index=False)


def _as_text(path, frame):
    frame.assign(k=frame["k"].astype(str)).to_parquet(path, index=False)


def _no_target(path, frame):
    frame.assign(y=frame["y"].where(frame.index != frame.index[5])).to_parquet(path, index=False)


def _infinite(path, frame):
    frame.assign(x=np.inf).to_parquet(path, index=False)


def _cut_short(path, frame):
    path.write_bytes(path.read_bytes()[:100])


def _twice(path, frame):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pa.parquet.write_table(table.append_column("x", table["x"]), path)


def _dates(path, frame):
    frame.assign(k=pd.Timestamp(0)).to_parquet(path, index=False)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_without, r"part-2\.parquet has no column 'k'"),
        (
            _with_more,
            r"part-0\.parquet has no column 'more', and .*part-2\.parquet has: .*columns=",
        ),
        (_as_text, r"'k' holds number \(double\) in .*part-0.* and text .* in .*part-2"),
        (_no_target, r"part-2\.parquet, column 'y', data row 6: there is no target"),
        (_infinite, r"part-2\.parquet, column 'x' holds infinite values"),
        (_cut_short, r"part-2\.parquet cannot be read"),
        (_dates, r"'k' holds number .* and timestamp"),
        (_twice, r"part-2\.parquet cannot be read: .*duplicate"),
        (lambda path, frame: path.write_bytes(b""), r"part-2\.parquet is empty, 0 bytes"),
    ],
)
def test_bad_files_are_named_and_nothing_is_left(spoil, words, files):
    path = files / "part-2.parquet"
    spoil(path, pd.read_parquet(path))
    with pytest.raises(ValueError, match=words):
        BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    assert not (files / "store").exists()


def test_text_with_a_column_twice_is_named(tmp_path):
    (tmp_path / "rows.csv").write_text("x,x,y\n1,2,a\n3,4,b\n")
    with pytest.raises(ValueError, match=r"rows\.csv has several columns 'x': rename all but one"):
        BinnedStore.write(tmp_path / "rows.csv", tmp_path / "store", target="y")


def test_a_store_changed_under_a_running_fit_ends_it(files, monkeypatch):
    store = BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    real, calls = crew.LocalCrew.add_up, []

    def change(self, wanted):
        calls.append(1)
        if len(calls) == 2:
            path = files / "store/codes.bin"
            path.write_bytes(path.read_bytes())
        return real(self, wanted)

    monkeypatch.setattr(crew.LocalCrew, "add_up", change)
    with pytest.raises(RuntimeError, match="was changed or removed while it was in use"):
        HistTreeClassifier(max_depth=4).fit(store)
    assert len(calls) == 2


def test_files_without_rows_are_passed_over(files, frame):
    frame[:0].to_parquet(files / "part-9.parquet", index=False)
    assert BinnedStore.write(files, files / "store", target="y").n_rows == 1000
    (files / "none").mkdir()
    frame[:0].to_parquet(files / "none" / "rows.parquet", index=False)
    with pytest.raises(ValueError, match="hold no row"):
        BinnedStore.write(files / "none", files / "nothing", target="y")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "z"}, r"has no column 'z'"),
        ({"target": "y", "columns": ["y"]}, "it is the target or the weight already"),
        ({"target": "y", "columns": []}, "name at least one column"),
        ({"target": "y", "weight": "x"}, r"column 'x', data row 1: nan is no weight"),
        ({"target": "y", "task": "regression"}, r"'y' holds text such as"),
        ({"target": "x", "task": "classification", "columns": ["k"]}, "there is no target"),
        ({"target": "y", "max_bins": 300}, "max_bins=300"),
        ({"target": "y", "task": "ranking"}, "task='ranking'"),
    ],
)
def test_wrong_options_are_named(options, words, files):
    with pytest.raises(ValueError, match=words):
        BinnedStore.write(files / "part-*.parquet", files / "store", **options)
    assert not (files / "store").exists()


def test_a_store_that_is_not_whole_is_refused(files):
    store = BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    with pytest.raises(FileExistsError, match="not empty"):
        BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    codes = (files / "store/codes.bin").read_bytes()
    (files / "store/codes.bin").write_bytes(codes[:-1])
    with pytest.raises(ValueError, match=r"codes.bin has \d+ bytes and should have"):
        BinnedStore(files / "store")
    with pytest.raises(RuntimeError, match="was changed or removed while it was in use"):
        HistTreeClassifier().fit(store)
    (files / "store/codes.bin").write_bytes(bytes([codes[0] ^ 1]) + codes[1:])
    with pytest.raises(ValueError, match=r"damaged in rows 0 to"):
        BinnedStore(files / "store").verify()
    noted = json.loads((files / "store/store.json").read_text())
    (files / "store/store.json").write_text(json.dumps({**noted, "format": 99}))
    with pytest.raises(ValueError, match="has format 99"):
        BinnedStore(files / "store")
    (files / "store/store.json").write_text("{")
    with pytest.raises(ValueError, match="is not what a store has there"):
        BinnedStore(files / "store")
    with pytest.raises(FileNotFoundError, match="There is no store"):
        BinnedStore(files / "none")
    with pytest.raises(ValueError, match="is no store"):
        BinnedStore(files)


def test_no_space_is_said_before_and_while_writing(files, monkeypatch):
    usage = type(shutil.disk_usage(files))(100, 90, 10)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: usage)
        with pytest.raises(OSError, match="No space for the store"):
            BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    assert not (files / "store").exists()

    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(writing_module.zlib, "crc32", full)
        with pytest.raises(OSError, match="goes on where it stopped"):
            BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    BinnedStore.write(files / "part-*.parquet", files / "store", target="y").verify()


def test_a_worker_of_another_version_says_so(files, monkeypatch):
    store = BinnedStore.write(files / "part-*.parquet", files / "store", target="y")
    sent = pickle.dumps(store)
    assert pickle.loads(sent).n_rows == 1000
    monkeypatch.setattr("counterpoint.large.store.__version__", "0.0.1")
    with pytest.raises(RuntimeError, match=r"has counterpoint 0\.0\.1 and the one that fits"):
        pickle.loads(sent)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ([], "give at least one file"),
        (3, "source=int: give files"),
        ("nowhere-*.parquet", "No file fits"),
        ("nowhere.parquet", "There is no file"),
    ],
)
def test_wrong_sources_are_named(source, words, tmp_path):
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=words):
        BinnedStore.write(source, tmp_path / "store", target="y")


def test_the_store_of_a_file_lies_beside_it(files):
    store = BinnedStore.from_parquet(files / "part-0.parquet", target="y")
    assert store.path == files / "part-0.store"
    named = BinnedStore.from_parquet(files / "part-0.parquet", files / "named", target="y")
    assert np.array_equal(store.codes(), named.codes())
    with pytest.raises(TypeError, match="say which folder to write the store to"):
        BinnedStore.from_parquet(str(files / "part-*.parquet"), target="y")
