"""A table of votes whose truth nobody knows: read into a ``VoteLog``, and summarised."""

import re
from collections.abc import Sequence
from os import PathLike
from typing import IO, Any

import numpy as np
import pandas as pd

from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_list, did_you_mean
from counterpoint.diversity import label_disagreement, label_kappa
from counterpoint.tabular.outputs import (
    label_values,
    member_columns,
    outputs_of,
    row_weights,
)
from counterpoint.tabular.plain import plain
from counterpoint.tabular.reader import read_labels
from counterpoint.trust import TRUTH_METHODS, TruthEstimate, VoteLog, estimate_truth
from counterpoint.trust.spectral import MOST_CELLS

_TRUTH = "class"
_LISTED = 20  # samples a summary names
_THREE = "sample, voter, answer"
# What the columns of a table with one row a vote are called, by people and by crowd services.
_LONG = {
    "sample": ("sample", "item", "task", "question", "unit", "example", "document", "row"),
    "member": ("member", "voter", "worker", "annotator", "judge", "rater", "coder", "labeler",
               "labeller", "model", "user"),
    "label": ("label", "vote", "answer", "response", "rating", "verdict", "annotation", "class"),
}  # fmt: skip


def read_answers(
    source: str | PathLike[str] | IO[bytes],
    *,
    truth: str | None = None,
    members: Sequence[str] | None = None,
    weights: str | None = None,
    correct: bool = False,
    allow_new_labels: bool = False,
    long: Sequence[str] | bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> MemberOutputs | VoteLog:
    r"""Read what members said, with or without the truth.

    With ``truth=None`` and no column called "class", every column is a member's votes, an empty
    cell a gap, and a ``VoteLog`` comes back. So it does of a table with one row a vote, such as
    crowd services give: who, about what, and what was said.

    Parameters
    ----------
    source, truth, members, weights, correct, allow_new_labels, separator, encoding, sheet
        As in :func:`~counterpoint.tabular.read_predictions`.
    long : sequence of three str, or bool, default=None
        The columns of a table with one row a vote: sample, voter, answer. None: such a table is
        known by names ("task, worker, label", "item_id,annotator,answer"). False: it is not one.

    Examples
    --------
    >>> import io
    >>> from counterpoint.tabular import read_answers
    >>> read_answers(io.BytesIO(b"ann,bob,eve\ncat,cat,dog\ndog,,dog\n"))
    VoteLog(5 votes of 3 members on 2 samples, 2 classes)
    >>> read_answers(io.BytesIO(b"task,worker,label\nq1,ann,cat\nq1,bob,cat\nq2,ann,dog\n"))
    VoteLog(3 votes of 2 members on 2 samples, 2 classes)
    """
    name, table = read_labels(source, separator, encoding=encoding, sheet=sheet)
    columns = [column for column in table.columns if column]
    alone = truth is None and members is None and weights is None and not correct
    one_a_vote = _long_columns(columns, long, name, alone)
    if one_a_vote:
        return _log_of_rows(table, one_a_vote, name)
    # A column that is nearly called so was meant as the truth: its error says it better.
    known = truth is not None or _TRUTH in columns or did_you_mean(_TRUTH, columns)
    if correct or known:
        return outputs_of(
            name, table, truth=truth or _TRUTH, members=members, weights=weights, correct=correct,
            allow_new_labels=allow_new_labels,
        )  # fmt: skip
    named = member_columns(name, columns, members, weights, {weights})
    weight = None if weights is None else row_weights(table[weights], weights, name)
    return _log(table, named, weight, name)


def _log(table: pd.DataFrame, members: list[str], weight: Any, name: str) -> VoteLog:
    texts = {m: [str(text).strip() for text in table[m].cat.categories] for m in members}
    value_of = label_values({text for own in texts.values() for text in own if text})
    votes = np.full((len(members), len(table)), None, dtype=object)
    for row, member in zip(votes, members, strict=True):
        # The last, for code -1: a gap.
        values = np.array([value_of.get(text) for text in texts[member]] + [None], dtype=object)
        row[:] = values[table[member].cat.codes.to_numpy()]
    if not (votes != None).any():  # noqa: E711
        raise ValueError(f"{name} has no vote at all: its columns are empty.")
    # Rows count from 1, as the first after the header.
    rows = np.arange(1, len(table) + 1)
    return VoteLog.from_array(votes, names=members, samples=rows, sample_weight=weight)


def _long_columns(
    columns: list[str], long: Sequence[str] | bool | None, name: str, alone: bool
) -> list[str]:
    """Return the columns (sample, voter, answer) of a table with one row a vote, or nothing."""
    if long is False or (long is None and not alone):
        return []
    if not (long is None or isinstance(long, bool)):
        given = [str(column) for column in check_list(long, "long", _THREE)]
        if len(given) != 3:
            raise ValueError(f"long={','.join(given)}: give three columns, {_THREE}.")
        for column in given:
            if column not in columns:
                raise ValueError(
                    f"long={','.join(given)}: {name} has no column {column!r}, but "
                    f"{', '.join(columns)}.{did_you_mean(column, columns)}"
                )
        return given
    bare = {column: re.sub(r"[\W_]*(id|name)?$", "", column.strip().lower()) for column in columns}
    found = [[c for c in columns if bare[c] in words] for words in _LONG.values()]
    if all(len(named) == 1 for named in found):
        return [named[0] for named in found]
    if long:
        raise ValueError(
            f"long=True: {name} has columns {', '.join(columns)}, whose names do not say who voted "
            "on what: give the three, long=[sample, voter, answer]."
        )
    return []


def _log_of_rows(table: pd.DataFrame, columns: list[str], name: str) -> VoteLog:
    texts = [table[column].astype(str).str.strip().to_numpy() for column in columns]
    whole = np.all([table[column].notna() for column in columns], axis=0)
    whole &= np.all([text != "" for text in texts], axis=0)
    if not whole.any():
        raise ValueError(f"{name} has no whole row of {', '.join(columns)}: all have empty cells.")
    sample, member, label = (text[whole] for text in texts)
    value_of = label_values(set(label))
    numbered = all(text.isdecimal() and str(int(text)) == text for text in set(sample))
    return VoteLog(
        member, sample.astype(int) if numbered else sample, [value_of[text] for text in label]
    )


def summarise_votes(log: VoteLog, *, random_state: int = 0) -> dict[str, Any]:
    """Summarise votes without truth: who is how good, what is likely true, who copies whom.

    Parameters
    ----------
    log : VoteLog
    random_state : int, default=0
        Seeds the bootstrap of the limits.

    Returns
    -------
    dict
        ``n_members``, ``n_samples``, ``n_votes``, ``classes``, ``weighted``, ``members`` (name,
        votes, accuracy with limits, say, confusion), ``copies``, ``agreement`` (of each method
        with Dawid and Skene's labels), ``shares`` of the classes, ``doubtful`` samples (the least
        sure), ``samples`` (label and probability of each), ``measures`` that need no truth, and
        ``notes``. Plain data, undefined is None.

    Examples
    --------
    >>> from counterpoint.tabular import summarise_votes
    >>> from counterpoint.trust import VoteLog
    >>> log = VoteLog.from_array([["a", "b", "a"], ["a", "b", "a"], ["a", "a", None]])
    >>> summary = summarise_votes(log)
    >>> [row["label"] for row in summary["samples"]]
    ['a', 'b', 'a']
    """
    found = estimate_truth(log, random_state=random_state)
    others = {
        method: estimate_truth(log, method=method, weights=found.say, discount=False)
        for method in TRUTH_METHODS
        if method != found.method
        and not (method == "spectral" and log.n_members * log.n_samples > MOST_CELLS)
    }
    same = {m: float(np.mean(one.labels == found.labels)) for m, one in others.items()}
    rows = found.sample_table()
    rows["difficulty"] = others["glad"].difficulty
    doubtful = rows.sort_values("probability", kind="stable").head(_LISTED)
    members = found.table().rename(columns={"member": "name"})
    summary = {
        "n_members": log.n_members,
        "n_samples": log.n_samples,
        "n_votes": log.n_votes,
        "classes": log.classes,
        "weighted": log.sample_weight is not None,
        "members": [
            {**row, "confusion": _matrix(found, k)}
            for k, row in enumerate(members.to_dict("records"))
        ],
        "copies": found.copies.to_dict("records"),
        "agreement": same,
        "shares": dict(
            zip(map(str, log.classes), np.average(found.proba, axis=0, weights=log.weight()),
                strict=True)
        ),
        "doubtful": doubtful.to_dict("records"),
        "samples": rows.to_dict("records"),
        "measures": _measures(log),
        "notes": _notes(log, found),
    }  # fmt: skip
    return plain(summary)


def _matrix(found: TruthEstimate, k: int) -> Any:
    return None if found.confusion is None else found.confusion[k]


def _measures(log: VoteLog) -> dict[str, float | None]:
    votes = log.array()
    if (votes < 0).any() or log.n_members < 2:  # measures of pairs need every vote
        return {"label_disagreement": None, "label_kappa": None}
    outputs = MemberOutputs(
        votes, classes=np.arange(log.n_classes), sample_weight=log.sample_weight
    )  # fmt: skip
    return {
        "label_disagreement": float(label_disagreement(outputs)),
        "label_kappa": float(label_kappa(outputs)),
    }


def _notes(log: VoteLog, found: TruthEstimate) -> list[str]:
    notes = ["no column is the truth: accuracies are estimated from the votes alone, and assume "
             "that most voters beat chance and err independently.", *found.notes]  # fmt: skip
    if {str(label) for label in log.classes} <= {"0", "1"}:
        notes.append("all votes are 1 or 0: if that means right and wrong, pass correct=True.")
    return notes
