"""The first pass over the rows of a store: what its columns hold, found part by part and merged.

What was found is noted every few seconds, so that a pass that was killed goes on where it was.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from counterpoint._files import new_file
from counterpoint._progress import track
from counterpoint.large import arrow as pa
from counterpoint.large.arrow_columns import as_floats, as_text, plain
from counterpoint.large.backend import in_turn
from counterpoint.large.sketch import QuantileSketch
from counterpoint.large.sources import Part, check_parts, kind_of
from counterpoint.large.store import LOOKING
from counterpoint.trees.growing.workspace import MAX_CLASSES

_EVERY = 5.0  # seconds after which it is noted how far the pass has come
_MOST_ROWS = 2**31 - 1  # numbers of rows in a bin have four bytes


@dataclass(frozen=True)
class Plan:
    """Which columns are what."""

    features: list[str]
    target: str
    weight: str | None
    text: list[bool]  # for each feature
    target_text: bool

    @property
    def columns(self) -> list[str]:
        """All columns to be read."""
        return [*self.features, self.target, *([self.weight] if self.weight else [])]


def make_plan(parts: list[Part], target: str, weight: str | None, columns: Any) -> Plan:
    """Read off the parts which columns there are, and raise where they do not fit."""
    names = parts[0].schema().names
    apart = {target, weight}
    features = [name for name in names if name not in apart] if columns is None else list(columns)
    if not features:
        raise ValueError(f"columns={columns!r}: name at least one column to learn from.")
    for name in features:
        if name in apart:
            raise ValueError(f"columns={name!r}: it is the target or the weight already.")
    wanted = [*features, target, *([weight] if weight else [])]
    schema = check_parts(parts, wanted, option="columns" if columns is None else None)
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


@dataclass
class Found:
    """What some rows hold."""

    sketches: list[QuantileSketch]
    values: list[Counter]  # of columns of text
    labels: Counter = field(default_factory=Counter)
    n_rows: int = 0
    n_read: int = 0  # rows, those of weight 0 too
    part_rows: list[int] = field(default_factory=list)
    fractions: bool = False
    whole_weights: bool = True

    @classmethod
    def nothing(cls, plan: Plan) -> "Found":
        """Return what no rows hold."""
        return cls([QuantileSketch() for _ in plan.features], [Counter() for _ in plan.features])

    def merge(self, part: "Found") -> None:
        """Take in what the next part holds."""
        for own, other in zip(self.sketches, part.sketches, strict=True):
            own.merge(other)
        for seen, more in zip(self.values, part.values, strict=True):
            seen.update(more)
        self.labels.update(part.labels)
        self.n_rows += part.n_rows
        self.part_rows.append(part.n_rows)
        self.fractions |= part.fractions
        self.whole_weights &= part.whole_weights

    def state(self) -> tuple[dict[str, Any], list[Any]]:
        """Return all of it as plain values and as arrays: for a file."""
        states = [sketch.state() for sketch in self.sketches]
        about = {
            "sketches": [[one, len(arrays)] for one, arrays in states],
            "values": [list(seen.items()) for seen in self.values],
            "labels": list(self.labels.items()),
            "n_rows": self.n_rows, "n_read": self.n_read, "part_rows": self.part_rows,
            "fractions": self.fractions, "whole_weights": self.whole_weights,
        }  # fmt: skip
        return about, [array for _, arrays in states for array in arrays]

    @classmethod
    def from_state(cls, about: dict[str, Any], arrays: list[Any]) -> "Found":
        """Return what had this state."""
        sketches, at = [], 0
        for one, n_arrays in about["sketches"]:
            sketches.append(QuantileSketch.from_state(one, arrays[at : at + n_arrays]))
            at += n_arrays
        about = {**about, "sketches": sketches, "labels": Counter(dict(about["labels"]))}
        about["values"] = [Counter(dict(seen)) for seen in about["values"]]
        return cls(**about)


@dataclass
class Rows:
    """The rows of a batch that count."""

    batch: Any
    labels: list | np.ndarray
    weights: np.ndarray | None
    n_read: int


def kept_rows(part: Part, plan: Plan, skip: int = 0) -> Iterator[Rows]:
    """Yield the rows that have a weight, with targets and weights checked; not the first ones."""
    place = 0
    for batch in part.batches(plan.columns):
        n_read, place = batch.num_rows, place + batch.num_rows
        if place <= skip:
            continue
        if place - n_read < skip:
            batch = batch.slice(skip - place + n_read)
            n_read = batch.num_rows
        first = place - n_read + 1
        counts = np.ones(n_read, dtype=bool)
        weights = None
        if plan.weight is not None:
            weights = as_floats(batch.column(plan.weight))
            bad = ~(weights >= 0) | np.isinf(weights)
            if bad.any():
                raise ValueError(
                    f"{part.name}, column {plan.weight!r}, data row {first + bad.argmax()}: "
                    f"{weights[bad][0]:g} is no weight. Give numbers from 0."
                )
            counts = weights > 0
        targets = batch.column(plan.target)
        numbers = None if plan.target_text else as_floats(targets)
        missing = pa.compute.is_null(targets).to_numpy(zero_copy_only=False)
        if numbers is not None:
            missing = ~np.isfinite(numbers)
        missing = missing & counts
        if missing.any():
            raise ValueError(
                f"{part.name}, column {plan.target!r}, data row {first + missing.argmax()}: "
                "there is no target. Fill it in, or leave such rows out."
            )
        if not counts.all():
            batch, targets = (one.filter(pa.array(counts)) for one in (batch, targets))
            numbers = None if numbers is None else numbers[counts]
            weights = None if weights is None else weights[counts]
        labels = numbers if numbers is not None else as_text(targets)
        yield Rows(batch, labels, weights, n_read)


def look_at(rows: Rows, part: Part, plan: Plan, found: Found) -> None:
    """Add the rows of a batch to what was found."""
    found.n_read += rows.n_read
    if rows.batch.num_rows == 0:
        return
    found.n_rows += rows.batch.num_rows
    for f, name in enumerate(plan.features):
        column = rows.batch.column(name)
        if plan.text[f]:
            for entry in pa.compute.value_counts(plain(column)).to_pylist():
                if entry["values"] is not None:
                    found.values[f][entry["values"]] += entry["counts"]
            continue
        numbers, sketch = as_floats(column), found.sketches[f]
        sketch.add(numbers)
        if not np.isfinite([sketch.low, sketch.high]).all() and np.isinf(numbers).any():
            raise ValueError(
                f"{part.name}, column {name!r} holds infinite values: replace them by missing ones "
                "or by large numbers."
            )
    labels = rows.labels
    if plan.target_text:
        found.labels.update(labels)
    else:
        numbers = np.asarray(labels)
        found.fractions = found.fractions or bool((numbers != np.round(numbers)).any())
        if len(found.labels) <= MAX_CLASSES:
            seen, counts = np.unique(numbers, return_counts=True)
            found.labels.update(dict(zip(seen.tolist(), counts.tolist(), strict=True)))
    if rows.weights is not None:
        found.whole_weights &= bool((rows.weights == np.round(rows.weights)).all())


def look_through(part: Part, plan: Plan) -> Found:
    """Return what a part holds."""
    found = Found.nothing(plan)
    for rows in kept_rows(part, plan):
        look_at(rows, part, plan, found)
    return found


def look(
    parts: list[Part], plan: Plan, client: Any, notes: "Notes", progress: bool | None
) -> Found:
    """Return what all parts hold, each looked through for itself and merged in their order."""
    whole, begun = notes.read(plan)
    left = parts[len(whole.part_rows) :]
    if client is None:
        looked = _look_here(left, plan, begun, lambda own: notes.write(whole, own))
    else:
        looked = in_turn(client, look_through, left, plan)
    for found in track(looked, total=len(left), description="Finding bins", show=progress):
        whole.merge(found)
        notes.write(whole, Found.nothing(plan))
    if whole.n_rows == 0:
        raise ValueError(f"{parts[0].name} and all other parts hold no row that counts.")
    if whole.n_rows > _MOST_ROWS:
        raise ValueError(f"There are {whole.n_rows} rows, and a store takes {_MOST_ROWS}.")
    return whole


def _look_here(parts, plan, begun, note):
    for part in parts:
        found, begun = begun, Found.nothing(plan)
        for rows in kept_rows(part, plan, skip=found.n_read):
            look_at(rows, part, plan, found)
            note(found)
        yield found


class Notes:
    """What a first pass has found so far, in the folder of the store that is to be.

    ``order`` is what the store is made of: notes about another one are not read. None: there is
    nothing that would tell whether rows are still the same, and no notes are kept.
    """

    def __init__(self, folder: Path, order: dict[str, Any] | None):
        self.path, self.order = folder / LOOKING, order
        self._made, self._last = not folder.exists(), time.monotonic()

    def read(self, plan: Plan) -> tuple[Found, Found]:
        """Return what whole parts hold, and the rows of the next one that were looked at."""
        nothing = Found.nothing(plan), Found.nothing(plan)
        if self.order is None or not self.path.exists():
            return nothing
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as kept:
                about = json.loads(kept["about"].tobytes())
                arrays = [kept[f"a{k}"] for k in range(len(kept.files) - 1)]
        except (OSError, ValueError, KeyError, BadZipFile):
            return nothing
        if about["order"] != json.loads(json.dumps(self.order)):
            return nothing
        n = about["n_arrays"]
        whole = Found.from_state(about["whole"], arrays[:n])
        return whole, Found.from_state(about["begun"], arrays[n:])

    def write(self, whole: Found, begun: Found) -> None:
        """Note what was found, if it is time again."""
        if self.order is None or time.monotonic() - self._last < _EVERY:
            return
        (one, arrays), (other, more) = whole.state(), begun.state()
        about = {"order": self.order, "whole": one, "begun": other, "n_arrays": len(arrays)}
        text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        self.path.parent.mkdir(exist_ok=True)
        with new_file(self.path) as file, open(file, "wb") as opened:
            np.savez(opened, about=text, **{f"a{k}": a for k, a in enumerate([*arrays, *more])})
        self._last = time.monotonic()

    def remove(self) -> None:
        """Leave nothing, nor the folder if it was made for the notes."""
        self.path.unlink(missing_ok=True)
        if self._made and self.path.parent.exists() and not any(self.path.parent.iterdir()):
            self.path.parent.rmdir()
