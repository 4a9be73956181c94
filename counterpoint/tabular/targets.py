"""What a target column asks for: classes to tell apart, or numbers to estimate."""

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from counterpoint._validation import check_choice
from counterpoint.tabular.columns import Column, check_target, is_number, prepare_table, text_labels

Task = Literal["classification", "regression"]

TASKS: tuple[Task, ...] = ("classification", "regression")
MOST_CLASSES = 20
"""Different numbers in a target up to which they are classes without a question."""

_FEWEST = 8  # rows with a number, below which there is nothing to learn and to test


def find_task(values: pd.Series, target: str, task: str | None = None, *, form: str = "") -> Task:
    """Tell whether a target column holds classes or numbers to estimate.

    Numbers with fractions or with a unit are numbers, unless there are few different ones; whole
    numbers are classes if there are at most 20 different ones, and no more than half as many as
    rows, and numbers if there are more than half as many, unless they just count the rows.

    Parameters
    ----------
    values : Series
        The column.
    target : str
        Its name, for messages.
    task : {"classification", "regression"} or None, default=None
        What was asked for; None finds out.
    form : str, default=""
        How its cells were written: "USD" of $1,234, say.

    Returns
    -------
    {"classification", "regression"}

    Raises
    ------
    ValueError
        If whole numbers may be either, or numbers are asked for where there are words.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.tabular.targets import find_task
    >>> find_task(pd.Series([1.5, 2.25, 3.125, 4.0, 5.5]), "price")
    'regression'
    """
    if task is not None:
        check_choice(task, "task", TASKS)
        if task == "regression" and not is_number(values):
            raise ValueError(
                f"The target column target={target!r} holds words, and task='regression' needs "
                "numbers: leave it out, or name another column."
            )
        return "regression" if task == "regression" else "classification"
    if not is_number(values):
        return "classification"
    numbers = values.dropna().to_numpy(dtype=float)
    n, distinct = len(numbers), len(np.unique(numbers))
    if distinct <= MOST_CLASSES and distinct <= n / 2:
        return "classification"
    if (numbers != np.round(numbers)).any() or form.strip(","):
        return "regression"
    if distinct > n / 2 and n >= _FEWEST and not _counts_rows(np.unique(numbers), n):
        return "regression"  # too many for classes
    if n < _FEWEST:
        return "classification"  # which says what is wrong with it
    raise ValueError(
        f"The target column target={target!r} has {distinct} different whole numbers in {n} rows: "
        "it looks like a number; use task=regression to estimate it, task=classification if "
        "each number is a class of its own."
    )


def prepare(
    frame: pd.DataFrame,
    target: str,
    task: str | None = None,
    *,
    wishes: Mapping[str, str] | None = None,
    forms: Mapping[str, str] | None = None,
) -> tuple[pd.DataFrame, np.ndarray, list[Column], dict[str, str], list[str]]:
    """Take a table apart as ``prepare_table`` does; a target of numbers comes as floats."""
    names = [str(name) for name in frame.columns]
    found: Task = "classification"
    if names.count(target) == 1 and len(frame):  # else the checks below say what is wrong
        form = (forms or {}).get(target, "")
        found = find_task(frame.iloc[:, names.index(target)], target, task, form=form)
    if found == "classification":
        check = partial(check_target, sure=task is not None)
        return prepare_table(frame, target, check=check, wishes=wishes, forms=forms)
    X, texts, columns, left_out, notes = prepare_table(
        frame, target, check=_check_numbers, numbers=True, wishes=wishes, forms=forms
    )
    return X, texts.astype(float), columns, left_out, notes


def is_regression(y: np.ndarray) -> bool:
    """Tell whether a target, as :func:`prepare` gives it, is numbers."""
    return y.dtype.kind == "f"


def texts_of(y: np.ndarray) -> np.ndarray:
    """Return a target as text, the way labels are: what rows are known by."""
    return text_labels(pd.Series(y)).to_numpy(dtype=str) if is_regression(y) else y


def _counts_rows(values: np.ndarray, n: int) -> bool:
    """Tell whether every row has a whole number of its own, with few left out: as ids have."""
    steps = np.diff(values)
    return len(values) == n and values[-1] - values[0] < 2 * n * np.gcd.reduce(steps.astype(int))


def _check_numbers(values: pd.Series, labels: pd.Series, target: str) -> None:
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    if len(numbers) == 0:
        raise ValueError(f"The target column target={target!r} is empty in every row.")
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"The target column target={target!r} holds an infinite number in data row "
            f"{int(np.argmax(~np.isfinite(numbers))) + 1}: give it a value, or leave it empty."
        )
    if len(numbers) < _FEWEST:
        raise ValueError(
            f"{len(numbers)} rows have a number in the target column target={target!r}: at least "
            f"{_FEWEST} are needed, some to learn from and some to test."
        )
    if np.ptp(numbers) == 0:
        raise ValueError(
            f"The target column target={target!r} holds one number only, {numbers[0]:g}: there is "
            "nothing to estimate. Is it the right column?"
        )
