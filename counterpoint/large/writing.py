"""Writing a store: bins by what the first pass found, and a second pass that writes the rows.

Both passes go on where they were after a stop, if the rows lie in files.
"""

import errno
import json
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint import __version__
from counterpoint._files import new_file
from counterpoint._progress import track
from counterpoint._validation import check_choice, check_count
from counterpoint.large import arrow as pa
from counterpoint.large.arrow_columns import as_floats, plain
from counterpoint.large.backend import check_workers, in_turn
from counterpoint.large.looking import Found, Notes, Plan, kept_rows, look, make_plan
from counterpoint.large.sources import Part, open_parts
from counterpoint.large.store import (
    CODES,
    CUTS,
    FORMAT,
    LOOKING,
    STORE,
    TARGET,
    UNFINISHED,
    WEIGHT,
)
from counterpoint.trees.binning import MAX_BINS, MISSING, Binner
from counterpoint.trees.growing.workspace import MAX_CLASSES, chunk_rows

_OFTEN = 64  # groups after which it is noted how far writing has come
_PART = "part-{:06}.rows"  # what a worker has written of a part
_NEW = ".part-"  # what a file is called that is not whole yet


def write_store(
    source: Any,
    folder: Path,
    *,
    target: str,
    weight: str | None,
    columns: list[str] | None,
    task: str | None,
    max_bins: int,
    separator: str | None,
    client: Any,
    progress: bool | None,
) -> None:
    """Write a store; see ``BinnedStore.write``."""
    check_count(max_bins, "max_bins", low=2, high=MAX_BINS)
    if task is not None:
        check_choice(task, "task", ("classification", "regression"))
    parts = open_parts(source, separator=separator)
    plan = make_plan(parts, target, weight, columns)
    _check_place(folder)
    if client is not None:
        check_workers(client)
    stamps = [part.stamp for part in parts]
    order = {
        "format": FORMAT, "source": stamps, "target": target, "weight": weight,
        "columns": plan.features, "task": task, "max_bins": max_bins, "counterpoint": __version__,
    }  # fmt: skip
    known = None if None in stamps else _begun(folder, order)
    if known is None:
        notes = Notes(folder, None if None in stamps else order)
        try:
            with _when_full(folder):
                found = look(parts, plan, client, notes, progress)
            known = _decide(found, plan, task, max_bins)
            _check_space(folder, order, known)
        except (TypeError, ValueError, RuntimeError):  # the rows will not do: nothing is left
            notes.remove()
            raise
        with _when_full(folder):
            _start(folder, order, known)
    with _when_full(folder):
        _write_rows(parts, plan, known, folder, client, progress)


@contextmanager
def _when_full(folder):
    """Say of a full disk what to do about it."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise OSError(
            errno.ENOSPC,
            f"No space left for the store {folder}: free some and call write again, which goes on "
            "where it stopped",
        ) from error


def _check_place(folder):
    """Raise if no store can be written there, before the rows are read."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file: give the name of a folder to write.")
    if folder.exists() and not all(_is_begun(path.name) for path in folder.iterdir()):
        raise FileExistsError(f"{folder} is there and not empty: choose another name.")
    there = folder if folder.exists() else folder.absolute().parent
    if not there.is_dir():
        raise FileNotFoundError(f"There is no folder {there}: make it first, or choose another.")


def _is_begun(name):
    """Whether a file is one that an unfinished store has."""
    known = (UNFINISHED, LOOKING, CUTS, CODES, TARGET, WEIGHT)
    return name in known or name.startswith(_NEW) or fnmatch(name, _PART.replace("{:06}", "*"))


# -- between the passes ----------------------------------------------------------------------------


def _decide(found: Found, plan: Plan, task: str | None, max_bins: int) -> dict[str, Any]:
    """Return all that a store keeps besides its rows."""
    few = len(found.labels) <= MAX_CLASSES
    if task is None:
        numbers = not plan.target_text and (found.fractions or not few)
        task = "regression" if numbers else "classification"
    if task == "regression" and plan.target_text:
        raise ValueError(
            f"task='regression', but column {plan.target!r} holds text such as "
            f"{next(iter(found.labels))!r}: name a column of numbers with target=."
        )
    if task == "classification" and not few:
        raise ValueError(
            f"Column {plan.target!r} holds more than {MAX_CLASSES} classes: if it is a number to "
            "be predicted, pass task='regression'."
        )
    classes = None
    if task == "classification":
        labels = sorted(found.labels)
        if len(labels) < 2:
            raise ValueError(
                f"Column {plan.target!r} holds one class only, {labels[0]!r}: there is nothing to "
                "tell apart."
            )
        classes = np.array(labels)
        if not plan.target_text and not found.fractions:
            classes = classes.astype(np.int64)
    categories = [_categories(seen) if text else None for text, seen in
                  zip(plan.text, found.values, strict=True)]  # fmt: skip
    known = [
        max(min(len(names), MAX_BINS), 1) if names is not None else sketch.values()
        for names, sketch in zip(categories, found.sketches, strict=True)
    ]
    binner = Binner(max_bins, plan.text).fit_counts(known)
    cuts = {
        "edges": binner.edges_,
        "values": binner.values_,
        "exact": binner.exact_,
        "n_bins": binner.n_bins_,
        "categorical": binner.categorical_,
        "has_missing": np.array(
            [sum(seen.values()) < found.n_rows if text else sketch.n_missing > 0 for text, seen,
             sketch in zip(plan.text, found.values, found.sketches, strict=True)]
        ),
        "high": np.array([s.high if np.isfinite(s.high) else 0.0 for s in found.sketches]),
        "sketch_error": np.array([s.error for s in found.sketches]),
    }  # fmt: skip
    if classes is not None:
        cuts["classes"] = classes
    return {
        "n_rows": found.n_rows,
        "part_rows": found.part_rows,
        "group": chunk_rows(found.n_rows),
        "categories": categories,
        "class_counts": None if classes is None else [found.labels[c] for c in classes.tolist()],
        "whole_weights": bool(found.whole_weights),
        "cuts": cuts,
    }


def _categories(seen):
    """Return the values in the order of their numbers; of too many the rarest share the last."""
    if len(seen) <= MAX_BINS:
        return sorted(seen)
    common = sorted(seen, key=lambda value: (-seen[value], value))
    return [*sorted(common[: MAX_BINS - 1]), *common[MAX_BINS - 1 :]]


# -- the second pass -------------------------------------------------------------------------------


def _begun(folder, order):
    """Return what an unfinished store of the same rows knows, or None."""
    try:
        noted = json.loads((folder / UNFINISHED).read_text())
        same = noted["order"] == json.loads(json.dumps(order))
        if not same or noted["cuts"] != zlib.crc32((folder / CUTS).read_bytes()):
            return None
    except (OSError, ValueError, KeyError):
        return None
    with np.load(folder / CUTS, allow_pickle=False) as cuts:
        return {**noted["known"], "cuts": {name: cuts[name] for name in cuts.files}}


def _check_space(folder, order, known):
    size = (len(known["cuts"]["n_bins"]) + 1) * known["n_rows"]
    size += known["n_rows"] * (8 * (order["weight"] is not None))
    size += known["n_rows"] * 7 * (known["class_counts"] is None)
    free = shutil.disk_usage(folder if folder.exists() else folder.absolute().parent).free
    if free < size:
        raise OSError(
            errno.ENOSPC,
            f"No space for the store {folder}: it takes {size} bytes, and {free} are free",
        )


def _start(folder, order, known):
    folder.mkdir(exist_ok=True)
    _check_place(folder)
    for old in folder.iterdir():  # of a store of other rows, or of a process that was killed
        if old.name not in (LOOKING, UNFINISHED):
            old.unlink()
    with new_file(folder / CUTS) as part:
        np.savez(part, **known["cuts"])
    _note(folder, order, known, 0, {CODES: [], TARGET: [], WEIGHT: []})
    (folder / LOOKING).unlink(missing_ok=True)


def _note(folder, order, known, n_groups, checksums):
    kept = {name: value for name, value in known.items() if name != "cuts"}
    noted = {"order": order, "known": kept, "n_groups": n_groups, "checksums": checksums}
    noted["cuts"] = zlib.crc32((folder / CUTS).read_bytes())
    with new_file(folder / UNFINISHED) as part:
        part.write_text(json.dumps(noted))


class _Coder:
    """Rows as they lie in a store: bins, targets and weights."""

    def __init__(self, plan: Plan, known: dict[str, Any]):
        self.plan, self.known = plan, known
        self.binner = Binner(MAX_BINS)
        for name in ("edges", "values", "exact", "n_bins", "categorical"):
            setattr(self.binner, f"{name}_", known["cuts"][name])
        self.numbers = [
            None if names is None else {v: min(k, MAX_BINS - 1) for k, v in enumerate(names)}
            for names in known["categories"]
        ]

    def blocks(self, part: Part, skip: int = 0) -> Iterator[tuple]:
        """Yield the rows of a part; not the first ``skip`` of those that count."""
        for rows in kept_rows(part, self.plan):
            n = rows.batch.num_rows
            start = min(skip, n)
            skip -= start
            if start == n:
                continue
            codes = _encode(rows.batch, self.plan, self.binner, self.numbers)
            own = _as_codes(rows.labels, self.known["cuts"], part, self.plan)
            yield codes[start:], own[start:], None if rows.weights is None else rows.weights[start:]


def _write_part(part, plan, known, folder, number):
    """Write the rows of a part into a file of their own, in a worker; return its name."""
    if not folder.is_dir():
        raise FileNotFoundError(
            f"A worker sees no folder {folder}: put the store where all workers see it, under the "
            "same path."
        )
    path = folder / _PART.format(number)
    if not path.exists():  # it is whole if it is there
        with new_file(path) as new, open(new, "wb") as file:
            for block in _Coder(plan, known).blocks(part):
                for rows in block:
                    np.save(file, np.empty(0) if rows is None else rows, allow_pickle=False)
    return path.name


def _read_part(path, skip):
    """Yield what a worker has written; not the first ``skip`` rows."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        while file.tell() < size:
            codes, own, weights = (np.load(file, allow_pickle=False) for _ in range(3))
            start = min(skip, len(codes))
            skip -= start
            if start < len(codes):
                yield codes[start:], own[start:], weights[start:] if len(weights) else None


def _blocks(parts, plan, known, folder, skip, client, progress):
    """Yield all rows but the first ``skip``, in their order, by this process or by workers."""
    left = [(k, part, n) for k, (part, n) in enumerate(zip(parts, known["part_rows"], strict=True))]
    while left and skip >= left[0][2]:
        skip -= left.pop(0)[2]
    if client is None:
        coder = _Coder(plan, known)
        for _, part, _ in track(left, total=len(left), description="Writing", show=progress):
            yield from coder.blocks(part, skip)
            skip = 0
        return
    numbers = [k for k, _, _ in left]
    names = in_turn(
        client, _write_part, [part for _, part, _ in left], plan, known, folder.absolute(),
        each=numbers,
    )  # fmt: skip
    for name in track(names, total=len(left), description="Writing", show=progress):
        yield from _read_part(folder / name, skip)
        skip = 0
        (folder / name).unlink()  # should this process die now, a worker writes it again


def _write_rows(parts, plan, known, folder, client, progress):
    noted = json.loads((folder / UNFINISHED).read_text())
    order, done, checksums = noted["order"], noted["n_groups"], noted["checksums"]
    group = known["group"]
    kind = np.float64 if known["class_counts"] is None else np.uint8
    width = {CODES: len(plan.features) * group, TARGET: group * np.dtype(kind).itemsize}
    if plan.weight is not None:
        width[WEIGHT] = group * 8
    files = {name: _opened(folder / name, done * size) for name, size in width.items()}
    buffer = np.zeros((len(plan.features), group), dtype=np.uint8)
    targets, weights, held = np.zeros(group, dtype=kind), np.zeros(group), 0
    n_groups, noted_at = done, done

    def flush():
        nonlocal held, n_groups, noted_at
        buffer[:, held:] = 0
        data = {CODES: buffer, TARGET: targets[:held], WEIGHT: weights[:held]}
        for name, file in files.items():
            own = data[name].tobytes()
            file.write(own)
            checksums[name].append(zlib.crc32(own))
        n_groups, held = n_groups + 1, 0
        if n_groups - noted_at >= _OFTEN:
            for file in files.values():
                file.flush()
            _note(folder, order, known, n_groups, checksums)
            noted_at = n_groups

    try:
        for codes, own, weight in _blocks(
            parts, plan, known, folder, done * group, client, progress
        ):
            start = 0
            while start < len(codes):
                room = min(group - held, len(codes) - start)
                take, put = slice(start, start + room), slice(held, held + room)
                buffer[:, put] = codes[take].T
                targets[put] = own[take]
                if weight is not None:
                    weights[put] = weight[take]
                held, start = held + room, start + room
                if held == group:
                    flush()
        if held:
            flush()
        for file in files.values():
            file.close()
    finally:
        for file in files.values():
            file.close()
    written = n_groups * group
    if not written - group < known["n_rows"] <= written:
        raise RuntimeError(f"The rows of {parts[0].name} or another part changed while being read.")
    for name in {CODES, TARGET, WEIGHT} - set(files):
        checksums.pop(name, None)
    kept = {
        "format": FORMAT, "counterpoint": __version__, "n_rows": known["n_rows"],
        "group": group, "feature_names": plan.features, "target": plan.target,
        "categories": known["categories"], "class_counts": known["class_counts"],
        "weighted": plan.weight is not None, "whole_weights": known["whole_weights"],
        "checksums": checksums,
    }  # fmt: skip
    with new_file(folder / STORE) as file:
        file.write_text(json.dumps(kept))
    for path in [*folder.glob(f"{_NEW}*"), *folder.glob("*.rows"), folder / LOOKING]:
        path.unlink(missing_ok=True)
    (folder / UNFINISHED).unlink()


def _opened(path, size):
    """Open a file to go on writing after its first ``size`` bytes."""
    found = path.stat().st_size if path.exists() else 0
    if found < size:
        raise ValueError(
            f"{path} has {found} bytes and was noted to have {size}: it was cut short. Remove the "
            "folder and write the store again."
        )
    file = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115
    file.truncate(size)
    file.seek(size)
    return file


def _encode(batch, plan, binner, numbers):
    matrix = np.empty((batch.num_rows, len(plan.features)))
    for f, name in enumerate(plan.features):
        column = batch.column(name)
        if numbers[f] is None:
            matrix[:, f] = as_floats(column)
            continue
        coded = pa.compute.dictionary_encode(plain(column))
        table = [numbers[f].get(value, np.nan) for value in coded.dictionary.to_pylist()]
        at = pa.compute.fill_null(coded.indices, len(table)).to_numpy(zero_copy_only=False)
        matrix[:, f] = np.array([*table, np.nan])[at]
    codes = binner.encode(matrix)
    for f, n_bins in enumerate(binner.n_bins_):  # the bin after the last is for missing values
        codes[codes[:, f] == MISSING, f] = n_bins
    return codes


def _as_codes(labels, cuts, part, plan):
    classes = cuts.get("classes")
    if classes is None:
        return labels
    labels = np.asarray(labels)
    at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    strange = classes[at] != labels
    if strange.any():
        raise RuntimeError(
            f"{part.name}, column {plan.target!r} holds {labels[strange][0]!r}, which was not "
            "there a moment ago: the file changed while it was read."
        )
    return at
