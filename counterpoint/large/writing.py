"""Writing a store: one pass for the bins, one for the rows; the second can go on after a stop."""

import errno
import json
import shutil
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint import __version__
from counterpoint._files import new_file
from counterpoint._progress import track
from counterpoint._validation import check_choice, check_count
from counterpoint.large import arrow as pa
from counterpoint.large.arrow_columns import as_floats, as_text, plain
from counterpoint.large.sketch import QuantileSketch
from counterpoint.large.sources import Part, check_parts, kind_of, open_parts
from counterpoint.large.store import CODES, CUTS, FORMAT, STORE, TARGET, UNFINISHED, WEIGHT
from counterpoint.trees.binning import MAX_BINS, MISSING, Binner
from counterpoint.trees.growing.workspace import MAX_CLASSES, chunk_rows

_OFTEN = 64  # groups after which it is noted how far writing has come
_MOST_ROWS = 2**31 - 1  # numbers of rows in a bin have four bytes


@dataclass
class Plan:
    """Which columns are what, and what the first pass found out about them."""

    features: list[str]
    target: str
    weight: str | None
    text: list[bool]  # for each feature
    target_text: bool
    n_rows: int = 0
    part_rows: list[int] = field(default_factory=list)
    sketches: list[QuantileSketch] = field(default_factory=list)
    values: list[Counter] = field(default_factory=list)
    labels: Counter = field(default_factory=Counter)
    fractions: bool = False
    whole_weights: bool = True
    low: float = np.inf
    high: float = -np.inf

    @property
    def columns(self) -> list[str]:
        """All columns to be read."""
        return [*self.features, self.target, *([self.weight] if self.weight else [])]


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
    progress: bool | None,
) -> None:
    """Write a store; see ``BinnedStore.write``."""
    check_count(max_bins, "max_bins", low=2, high=MAX_BINS)
    if task is not None:
        check_choice(task, "task", ("classification", "regression"))
    parts = open_parts(source, separator=separator)
    plan = _plan(parts, target, weight, columns)
    stamps = [part.stamp for part in parts]
    order = {
        "format": FORMAT, "source": stamps, "target": target, "weight": weight,
        "columns": plan.features, "task": task, "max_bins": max_bins, "counterpoint": __version__,
    }  # fmt: skip
    known = None if None in stamps else _begun(folder, order)
    if known is None:
        _look(parts, plan, progress)
        known = _decide(plan, task, max_bins)
        _start(folder, order, known)
    _write_rows(parts, plan, known, folder, progress)


# -- the first pass --------------------------------------------------------------------------------


def _plan(parts, target, weight, columns):
    names = parts[0].schema().names
    apart = {target, weight}
    features = [name for name in names if name not in apart] if columns is None else list(columns)
    if not features:
        raise ValueError(f"columns={columns!r}: name at least one column to learn from.")
    for name in features:
        if name in apart:
            raise ValueError(f"columns={name!r}: it is the target or the weight already.")
    wanted = [*features, target, *([weight] if weight else [])]
    schema = check_parts(parts, wanted)
    text = []
    for name in wanted:
        kind = kind_of(schema.field(name).type)
        if pa.types.is_null(schema.field(name).type):
            kind = "number"
        if kind not in ("number", "text") or (name == weight and kind != "number"):
            raise ValueError(
                f"Column {name!r} of {parts[0].name} holds {kind}: a store takes numbers and text"
                f"{'' if name != weight else ', and numbers for weights'}. Convert the column, or "
                "leave it out with columns=."
            )
        text.append(kind == "text")
    return Plan(features, target, weight, text[: len(features)], text[len(features)])


def _look(parts, plan, progress):
    plan.sketches = [QuantileSketch() for _ in plan.features]
    plan.values = [Counter() for _ in plan.features]
    for part in track(parts, total=len(parts), description="Finding bins", show=progress):
        before = plan.n_rows
        for batch in _kept(part, plan):
            _look_at(batch, part, plan)
        plan.part_rows.append(plan.n_rows - before)
    if plan.n_rows == 0:
        raise ValueError(f"{parts[0].name} and all other parts hold no row that counts.")
    if plan.n_rows > _MOST_ROWS:
        raise ValueError(f"There are {plan.n_rows} rows, and a store takes {_MOST_ROWS}.")


@dataclass
class _Rows:
    """The rows of a batch that count."""

    batch: Any
    labels: list | np.ndarray
    weights: np.ndarray | None


def _kept(part: Part, plan: Plan) -> Iterator[_Rows]:
    """Yield the rows that have a weight, with targets and weights checked."""
    place = 0
    for batch in part.batches(plan.columns):
        if batch.num_rows == 0:
            continue
        weights = None
        if plan.weight is not None:
            weights = as_floats(batch.column(plan.weight))
            bad = ~(weights >= 0) | np.isinf(weights)
            if bad.any():
                raise ValueError(
                    f"{part.name}, column {plan.weight!r}, data row {place + bad.argmax() + 1}: "
                    f"{weights[bad][0]:g} is no weight. Give numbers from 0."
                )
            if (weights == 0).any():
                batch, weights = batch.filter(pa.array(weights > 0)), weights[weights > 0]
        targets = batch.column(plan.target)
        numbers = None if plan.target_text else as_floats(targets)
        missing = pa.compute.is_null(targets).to_numpy(zero_copy_only=False)
        if numbers is not None:
            missing = ~np.isfinite(numbers)
        if missing.any():
            raise ValueError(
                f"{part.name}, column {plan.target!r}, data row {place + missing.argmax() + 1}: "
                "there is no target. Fill it in, or leave such rows out."
            )
        place += batch.num_rows
        yield _Rows(batch, numbers if numbers is not None else as_text(targets), weights)


def _look_at(rows, part, plan):
    plan.n_rows += rows.batch.num_rows
    for f, name in enumerate(plan.features):
        column = rows.batch.column(name)
        if plan.text[f]:
            for entry in pa.compute.value_counts(plain(column)).to_pylist():
                if entry["values"] is not None:
                    plan.values[f][entry["values"]] += entry["counts"]
            continue
        numbers = as_floats(column)
        plan.sketches[f].add(numbers)
        if not np.isfinite([plan.sketches[f].low, plan.sketches[f].high]).all() and (
            np.isinf(numbers).any()
        ):
            raise ValueError(
                f"{part.name}, column {name!r} holds infinite values: replace them by missing ones "
                "or by large numbers."
            )
    labels = rows.labels
    if plan.target_text:
        plan.labels.update(labels)
    else:
        plan.low, plan.high = min(plan.low, labels.min()), max(plan.high, labels.max())
        plan.fractions = plan.fractions or bool((labels != np.round(labels)).any())
        if len(plan.labels) <= MAX_CLASSES:
            found, counts = np.unique(labels, return_counts=True)
            plan.labels.update(dict(zip(found.tolist(), counts.tolist(), strict=True)))
    if rows.weights is not None:
        plan.whole_weights &= bool((rows.weights == np.round(rows.weights)).all())


def _decide(plan, task, max_bins):
    """Return all that a store keeps besides its rows."""
    few = len(plan.labels) <= MAX_CLASSES
    if task is None:
        numbers = not plan.target_text and (plan.fractions or not few)
        task = "regression" if numbers else "classification"
    if task == "regression" and plan.target_text:
        raise ValueError(
            f"task='regression', but column {plan.target!r} holds text such as "
            f"{next(iter(plan.labels))!r}: name a column of numbers with target=."
        )
    if task == "classification" and not few:
        raise ValueError(
            f"Column {plan.target!r} holds more than {MAX_CLASSES} classes: if it is a number to "
            "be predicted, pass task='regression'."
        )
    classes = None
    if task == "classification":
        labels = sorted(plan.labels)
        if len(labels) < 2:
            raise ValueError(
                f"Column {plan.target!r} holds one class only, {labels[0]!r}: there is nothing to "
                "tell apart."
            )
        classes = np.array(labels)
        if not plan.target_text and not plan.fractions:
            classes = classes.astype(np.int64)
    categories = [_categories(seen) if text else None for text, seen in
                  zip(plan.text, plan.values, strict=True)]  # fmt: skip
    known = [
        max(min(len(names), MAX_BINS), 1) if names is not None else sketch.values()
        for names, sketch in zip(categories, plan.sketches, strict=True)
    ]
    binner = Binner(max_bins, plan.text).fit_counts(known)
    cuts = {
        "edges": binner.edges_,
        "values": binner.values_,
        "exact": binner.exact_,
        "n_bins": binner.n_bins_,
        "categorical": binner.categorical_,
        "has_missing": np.array(
            [sum(seen.values()) < plan.n_rows if text else sketch.n_missing > 0 for text, seen,
             sketch in zip(plan.text, plan.values, plan.sketches, strict=True)]
        ),
        "high": np.array([s.high if np.isfinite(s.high) else 0.0 for s in plan.sketches]),
        "sketch_error": np.array([s.error for s in plan.sketches]),
    }  # fmt: skip
    if classes is not None:
        cuts["classes"] = classes
    return {
        "n_rows": plan.n_rows,
        "part_rows": plan.part_rows,
        "group": chunk_rows(plan.n_rows),
        "categories": categories,
        "class_counts": None if classes is None else [plan.labels[c] for c in classes.tolist()],
        "whole_weights": bool(plan.whole_weights),
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
    except (OSError, ValueError):
        return None
    if noted["order"] != json.loads(json.dumps(order)):
        return None
    with np.load(folder / CUTS, allow_pickle=False) as cuts:
        return {**noted["known"], "cuts": {name: cuts[name] for name in cuts.files}}


def _start(folder, order, known):
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file: give the name of a folder to write.")
    if folder.exists() and any(folder.iterdir()) and not (folder / UNFINISHED).exists():
        raise FileExistsError(f"{folder} is there and not empty: choose another name.")
    size = (len(known["cuts"]["n_bins"]) + 1) * known["n_rows"]
    size += known["n_rows"] * (8 * (order["weight"] is not None))
    size += known["n_rows"] * 7 * (known["class_counts"] is None)
    there = folder if folder.exists() else folder.absolute().parent
    if not there.is_dir():
        raise FileNotFoundError(f"There is no folder {there}: make it first, or choose another.")
    free = shutil.disk_usage(there).free
    if free < size:
        raise OSError(
            errno.ENOSPC,
            f"No space for the store {folder}: it takes {size} bytes, and {free} are free",
        )
    folder.mkdir(exist_ok=True)
    for name in (CODES, TARGET, WEIGHT):
        (folder / name).unlink(missing_ok=True)
    with new_file(folder / CUTS) as part:
        np.savez(part, **known["cuts"])
    _note(folder, order, known, 0, {CODES: [], TARGET: [], WEIGHT: []})


def _note(folder, order, known, n_groups, checksums):
    kept = {name: value for name, value in known.items() if name != "cuts"}
    noted = {"order": order, "known": kept, "n_groups": n_groups, "checksums": checksums}
    with new_file(folder / UNFINISHED) as part:
        part.write_text(json.dumps(noted))


def _write_rows(parts, plan, known, folder, progress):
    noted = json.loads((folder / UNFINISHED).read_text())
    order, done, checksums = noted["order"], noted["n_groups"], noted["checksums"]
    group, cuts = known["group"], known["cuts"]
    binner = Binner(MAX_BINS)
    for name in ("edges", "values", "exact", "n_bins", "categorical"):
        setattr(binner, f"{name}_", cuts[name])
    numbers = [
        None if names is None else {v: min(k, MAX_BINS - 1) for k, v in enumerate(names)}
        for names in known["categories"]
    ]
    kind = np.float64 if known["class_counts"] is None else np.uint8
    width = {CODES: len(plan.features) * group, TARGET: group * np.dtype(kind).itemsize}
    if plan.weight is not None:
        width[WEIGHT] = group * 8
    files = {name: _opened(folder / name, done * size) for name, size in width.items()}
    buffer = np.zeros((len(plan.features), group), dtype=np.uint8)
    targets, weights, held = np.zeros(group, dtype=kind), np.zeros(group), 0
    skip, n_groups, noted_at = done * group, done, done

    def flush():
        nonlocal held, n_groups, noted_at
        buffer[:, held:] = 0
        blocks = {CODES: buffer, TARGET: targets[:held], WEIGHT: weights[:held]}
        for name, file in files.items():
            data = blocks[name].tobytes()
            file.write(data)
            checksums[name].append(zlib.crc32(data))
        n_groups, held = n_groups + 1, 0
        if n_groups - noted_at >= _OFTEN:
            for file in files.values():
                file.flush()
            _note(folder, order, known, n_groups, checksums)
            noted_at = n_groups

    try:
        pairs = list(zip(parts, known["part_rows"], strict=True))
        for part, n_rows in track(pairs, total=len(pairs), description="Writing", show=progress):
            if skip >= n_rows:
                skip -= n_rows
                continue
            for rows in _kept(part, plan):
                n = rows.batch.num_rows
                start = min(skip, n)
                skip -= start
                if start == n:
                    continue
                codes = _encode(rows.batch, plan, binner, numbers)
                own = _as_codes(rows.labels, cuts, part, plan)
                while start < n:
                    room = min(group - held, n - start)
                    take, put = slice(start, start + room), slice(held, held + room)
                    buffer[:, put] = codes[take].T
                    targets[put] = own[take]
                    if rows.weights is not None:
                        weights[put] = rows.weights[take]
                    held, start = held + room, start + room
                    if held == group:
                        flush()
        if held:
            flush()
        for file in files.values():
            file.close()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise OSError(
                errno.ENOSPC,
                f"No space left for the store {folder}: free some and call write again, which goes "
                "on where it stopped",
            ) from error
        raise
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
    (folder / UNFINISHED).unlink()


def _opened(path, size):
    """Open a file to go on writing after its first ``size`` bytes."""
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
