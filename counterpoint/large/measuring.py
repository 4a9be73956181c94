"""Measures of members whose answers lie in files: counted part by part, and added."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from counterpoint import __version__
from counterpoint._arrays import code_type
from counterpoint._outputs import MemberOutputs, OutputCounts
from counterpoint._progress import track
from counterpoint._validation import check_count, check_flag
from counterpoint.diversity import MEASURES, profile
from counterpoint.diversity.measures import _possible
from counterpoint.large import arrow as pa
from counterpoint.large.backend import in_turn
from counterpoint.large.sources import check_parts, kind_of, open_parts

_FLAGS = {1: True, 0: False, "1": True, "0": False, "true": True, "false": False}
_GROUPS = 20  # parts of a sample, each of which is left out once
_Z = 1.959963984540054


def count_outputs(
    source: Any,
    *,
    truth: str = "class",
    members: Sequence[str] | None = None,
    weights: str | None = None,
    correct: bool = False,
    allow_new_labels: bool = False,
    separator: str | None = None,
    client: Any = None,
    progress: bool | None = None,
) -> OutputCounts:
    """Count what members said, from files with a column per member and a row per sample.

    Parameters
    ----------
    source : path, pattern, list of paths, Dataset, Table or frame
        As :func:`open_parts` takes it. Read once, in batches.
    truth : str, default="class"
        Column with the true label. Not read if ``correct``.
    members : sequence of str, default=None
        Columns with the members' labels. None: all columns but the truth and the weights.
    weights : str, default=None
        Column that says how much each sample counts. Counts are then exact but for rounding.
    correct : bool, default=False
        The columns say whether the member was right, as 1/0 or true/false; there is no truth.
    allow_new_labels : bool, default=False
        Take a label that the truth never has as one more class, not as an error.
    separator : str, default=None
        Between the fields of text. None: a comma, or a tab in .tsv files.
    client : distributed.Client, default=None
        Workers that count, each a part at a time; they must see the files. None: this process.
    progress : bool, default=None
        Draw a progress bar; None: on a terminal.

    Returns
    -------
    OutputCounts
        For :func:`counterpoint.diversity.profile`, ``matrix``, ``worth`` and every measure.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.large import count_outputs
    >>> frame = pd.DataFrame({"class": list("aabb"), "tree": list("abbb"), "net": list("aaba")})
    >>> count_outputs(frame)
    OutputCounts(2 members, 4 samples, 2 classes)
    """
    check_flag(correct, "correct")
    check_flag(allow_new_labels, "allow_new_labels")
    parts, asked = _ask(source, truth, members, weights, correct, separator)
    total = sum(_each(_count_part, parts, asked, client, progress))
    if not isinstance(total, OutputCounts):
        raise ValueError(f"{parts[0].name} and all other parts hold no rows.")
    if not correct:
        _check_labels(total, truth, allow_new_labels, asked)
    return total


def measure(
    source: Any,
    *,
    truth: str = "class",
    members: Sequence[str] | None = None,
    weights: str | None = None,
    correct: bool = False,
    allow_new_labels: bool = False,
    separator: str | None = None,
    max_samples: int = 20_000,
    client: Any = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """All measures of members whose answers lie in files, of any number of rows.

    Every measure of ours is a function of counts that can be added, so it is exact: what
    :func:`counterpoint.diversity.profile` would say of all rows at once. One of your own that looks
    at single samples (a row that you have put into ``MEASURES``) cannot be added up: it is taken
    from a sample of the rows, and has an interval.

    Parameters
    ----------
    source, truth, members, weights, correct, allow_new_labels, separator, client, progress
        As in :func:`count_outputs`.
    max_samples : int, default=20000
        Rows of the sample, if one is needed.

    Returns
    -------
    DataFrame
        One row per measure, as ``profile`` has it, and "how": "exact", or the sample it is from;
        "interval_low" and "interval_high" hold the true value in about 95 % of such samples (by
        leaving out a twentieth of the sample at a time), and are the value itself where it is
        exact.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.large import measure
    >>> frame = pd.DataFrame({"class": list("aabb"), "tree": list("abbb"), "net": list("aaba")})
    >>> measure(frame).loc[["vote_error", "disagreement"], ["value", "how"]]
                  value    how
    measure
    vote_error     0.25  exact
    disagreement   0.50  exact
    """
    check_count(max_samples, "max_samples", low=_GROUPS)
    options: dict[str, Any] = {
        "truth": truth,
        "members": members,
        "weights": weights,
        "correct": correct,
    }
    shared: dict[str, Any] = {"separator": separator, "client": client, "progress": progress}
    counts = count_outputs(source, allow_new_labels=allow_new_labels, **options, **shared)
    return measure_counts(
        counts, lambda: sample_outputs(source, **options, max_samples=max_samples, **shared)
    )


def measure_counts(counts: OutputCounts, sample: Any = None) -> pd.DataFrame:
    """Return all measures of counts; ``sample()`` gives outputs for those that need single rows."""
    lacking = [m for m in _possible(counts) if not _is_countable(m, counts)]
    frame = profile(counts) if not lacking else _profile_without(counts, lacking)
    frame["how"] = "exact"
    frame["interval_low"] = frame["interval_high"] = frame["value"]
    if lacking and sample is not None:
        outputs = sample()
        for m in lacking:
            value, low, high = _estimate(m, outputs)
            ends = tuple(map(float, m.limits))
            frame.loc[m.name] = [
                m.title, value, *ends, m.more_diverse, m.kind, m.source,
                f"sample of {outputs.n_samples} rows", low, high,
            ]  # fmt: skip
    return frame


def _is_countable(m, counts):
    try:
        m.function(counts)
    except (TypeError, AttributeError):
        return False
    return True


def _profile_without(counts, lacking):
    kept = {m.name: MEASURES.pop(m.name) for m in lacking}
    try:
        return profile(counts)
    finally:
        MEASURES.update(kept)


def _estimate(m, outputs):
    """Return a measure of a sample, with the limits of a delete-a-group jackknife."""
    value = m.function(outputs)
    group = np.arange(outputs.n_samples) % _GROUPS
    left = np.array([m.function(outputs.take_rows(group != g)) for g in range(_GROUPS)])
    half = _Z * np.sqrt((_GROUPS - 1) / _GROUPS * np.sum((left - left.mean()) ** 2))
    return value, max(value - half, m.low), min(value + half, m.high)


def sample_outputs(
    source: Any,
    *,
    truth: str = "class",
    members: Sequence[str] | None = None,
    weights: str | None = None,
    correct: bool = False,
    separator: str | None = None,
    max_samples: int = 20_000,
    client: Any = None,
    progress: bool | None = None,
) -> MemberOutputs:
    """Return ``MemberOutputs`` of rows at a fixed pace.

    Parameters
    ----------
    source, truth, members, weights, correct, separator, client, progress
        As in :func:`count_outputs`.
    max_samples : int, default=20000
        About how many rows, at most.

    Returns
    -------
    MemberOutputs

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.large import sample_outputs
    >>> frame = pd.DataFrame({"class": list("aabb"), "tree": list("abbb"), "net": list("aaba")})
    >>> sample_outputs(frame, max_samples=2)
    MemberOutputs(2 members, 2 samples, 2 classes)
    """
    parts, asked = _ask(source, truth, members, weights, correct, separator)
    n_rows = sum(_each(_count_rows, parts, asked, client, progress))
    asked["step"] = max(1, -(-n_rows // max_samples))
    found = [one for one in _each(_sample_part, parts, asked, client, progress) if one is not None]
    labels = np.concatenate([one[0] for one in found], axis=1)
    weight = None if weights is None else np.concatenate([one[1] for one in found])
    if correct:
        flags = labels.astype(bool)
        return MemberOutputs.from_correct(flags, sample_weight=weight, names=asked["members"])
    return MemberOutputs(
        labels[1:], labels[0], classes=np.unique(labels), sample_weight=weight,
        names=asked["members"],
    )  # fmt: skip


# -- parts -----------------------------------------------------------------------------------------


def _ask(source, truth, members, weights, correct, separator):
    parts = open_parts(source, separator=separator)
    apart = {weights} if correct else {truth, weights}
    names, option = parts[0].schema().names, None
    if members is None:
        option = "members"
        members = [name for name in names if name and name not in apart]
    members = list(members)
    if not members:
        raise ValueError(f"{parts[0].name} has no column for a member: name some with members=.")
    for name in members:
        if name in apart:
            raise ValueError(f"Column {name!r} cannot be a member: it is the truth or a weight.")
    labels = members if correct else [truth, *members]
    schema = check_parts(parts, [*labels, *([weights] if weights else [])], option=option)
    if not correct and len({kind_of(schema.field(n).type) for n in labels}) > 1:
        other = next(
            n for n in members if kind_of(schema.field(n).type) != kind_of(schema.field(truth).type)
        )
        raise ValueError(
            f"Column {other!r} of {parts[0].name} holds {kind_of(schema.field(other).type)} and "
            f"the truth {truth!r} {kind_of(schema.field(truth).type)}: name the members "
            "with members=."
        )
    return parts, {"labels": labels, "members": members, "weights": weights, "correct": correct,
                   "version": __version__}  # fmt: skip


def _each(work, parts, asked, client, progress):
    """Yield what is found in each part, in their order, here or by workers."""
    if client is None:
        for part in track(parts, total=len(parts), description="Counting", show=progress):
            yield work(part, asked)
        return
    yield from track(
        in_turn(client, work, parts, asked), total=len(parts), description="Counting", show=progress
    )


def _count_part(part, asked):
    if asked["version"] != __version__:
        raise RuntimeError(
            f"This worker has counterpoint {__version__} and the caller {asked['version']}: "
            "install the same version everywhere."
        )
    total: Any = 0
    for codes, labels, weight in _batches(part, asked):
        names = asked["members"]
        if asked["correct"]:
            table = np.array([_flag(label, part) for label in labels])
            outputs = MemberOutputs._build(
                votes=None, correct=table[codes], sample_weight=weight, names=names
            )
        else:
            outputs = MemberOutputs._build(
                votes=codes[1:], y=codes[0], classes=np.array(labels), sample_weight=weight,
                names=names,
            )  # fmt: skip
        total = total + OutputCounts.from_outputs(outputs)
    return total


def _flag(label, part):
    if label not in _FLAGS:
        raise ValueError(
            f"{part.name} holds {label!r}, but with correct=True every cell is 1 or 0, right or "
            "wrong. For labels, leave it out and name the truth column with truth=."
        )
    return _FLAGS[label]


def _count_rows(part, asked):
    return sum(batch.num_rows for batch in part.batches(asked["labels"][:1]))


def _sample_part(part, asked):
    found, weights, place = [], [], 0
    for codes, labels, weight in _batches(part, asked):
        n = codes.shape[1]
        rows = np.arange(-place % asked["step"], n, asked["step"])
        place += n
        table = np.array([_flag(label, part) for label in labels] if asked["correct"] else labels)
        found.append(table[codes[:, rows]])
        if weight is not None:
            weights.append(weight[rows])
    if not found:
        return None
    return np.concatenate(found, axis=1), np.concatenate(weights) if weights else None


def _batches(part, asked):
    """Yield codes (n_columns, n_rows), the sorted labels that they stand for, and weights."""
    names, place = asked["labels"], 0
    columns = [*names, *([asked["weights"]] if asked["weights"] else [])]
    for batch in part.batches(columns):
        n = batch.num_rows
        if n == 0:
            continue
        weight = None
        if asked["weights"]:
            weight = np.asarray(batch.column(asked["weights"]).cast(pa.float64()), dtype=float)
            if not (weight >= 0).all() or np.isinf(weight).any():
                row = place + int(np.argmin(weight >= 0)) + 1
                raise ValueError(
                    f"{part.name}, column {asked['weights']!r}, data row {row}: a weight is a "
                    "number, 0 or more."
                )
        for name in names:
            if batch.column(name).null_count:
                row = int(
                    np.argmax(pa.compute.is_null(batch.column(name)).to_numpy(zero_copy_only=False))
                )
                raise ValueError(
                    f"{part.name}, column {name!r} has no label in data row {place + row + 1}: "
                    "every member must say something about every sample."
                )
        place += n
        yield *_codes(batch, names), weight


def _codes(batch, names):
    raw = _small_numbers(batch, names)
    if raw is not None and raw.max() <= 1:
        return raw, [0, 1]
    if raw is not None:
        used = np.flatnonzero(np.sum([np.bincount(c, minlength=256) for c in raw], axis=0))
        table = np.zeros(256, dtype=code_type(len(used)))
        table[used] = np.arange(len(used))
        return (raw if used[-1] == len(used) - 1 else table[raw]), used.tolist()
    columns, seen = [], set()
    for name in names:
        column = batch.column(name)
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        labels = [_plain(label) for label in column.dictionary.to_pylist()]
        columns.append((column.indices.to_numpy(zero_copy_only=False), labels))
        used = np.unique(columns[-1][0])
        seen |= {labels[k] for k in used}
    order = sorted(seen)
    position = {label: k for k, label in enumerate(order)}
    codes = np.empty((len(names), batch.num_rows), dtype=code_type(len(order)))
    for k, (indices, labels) in enumerate(columns):
        codes[k] = np.array([position.get(label, 0) for label in labels])[indices]
    return codes, order


def _plain(label):
    """Return a label as it is compared: text without spaces around it, 1.0 as 1."""
    if isinstance(label, str):
        return label.strip()
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _small_numbers(batch, names):
    """Return columns of whole numbers from 0 to 255 as bytes, None if one holds other labels."""
    raw = np.empty((len(names), batch.num_rows), dtype=np.uint8)
    for k, name in enumerate(names):
        column = batch.column(name)
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.uint8())
        if not pa.types.is_integer(column.type):
            return None
        numbers = column.to_numpy(zero_copy_only=False)
        if not (pa.types.is_uint8(column.type) or (numbers.min() >= 0 and numbers.max() <= 255)):
            return None
        raw[k] = numbers
    return raw


def _check_labels(counts, truth, allow_new_labels, asked):
    true = [label for label, n in counts.truth.items() if n]
    if len(true) == 1:
        raise ValueError(
            f"The truth column {truth!r} holds one class only, {true[0]!r}: there is nothing to "
            "tell apart. Is it the right column? Name another with truth=."
        )
    for label, said in counts.says.items():
        if said.any() and label not in true and not allow_new_labels:
            name = asked["members"][int(np.argmax(said > 0))]
            raise ValueError(
                f"{name!r} says {label!r}, which the truth column {truth!r} never has (it has "
                f"{sorted(true)[:10]}). If that is a class all the same, pass "
                "allow_new_labels=True; if it is no member, name those that are with members=."
            )
