"""Words and categories that come with events, as numbers."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

_MOST_VALUES = 12  # of a category that get a column
_MOST_CATEGORIES = 50  # beyond, and with several words a cell, it is text
_MOST_WORDS = 20
_RARE, _COMMON = 0.005, 0.6  # words in fewer or more events tell nothing


def event_details(frame: pd.DataFrame, taken: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return what events hold besides whose, when and what, as columns of numbers.

    Numbers stay as they are. A category becomes columns of 0 and 1 for its most frequent values;
    text, for its most frequent words; ids and constants are left out.

    Parameters
    ----------
    frame : DataFrame
        A row per event.
    taken : sequence of str
        Columns that say whose, when and of what type.

    Returns
    -------
    details : DataFrame
    notes : list of str
        What was left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.sequences.details import event_details
    >>> events = pd.DataFrame({"who": [1, 1, 2], "channel": ["web", "shop", "web"], "n": [1, 2, 3]})
    >>> event_details(events, ["who"])[0].columns.tolist()
    ['channel is web', 'channel is shop', 'n']
    """
    made: dict[str, np.ndarray] = {}
    left_out = []
    for name in map(str, frame.columns):
        if name in taken:
            continue
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column.dtype):
            numbers = column.to_numpy(dtype=float, na_value=np.nan)
            made[name] = np.where(np.isinf(numbers), np.nan, numbers)
            continue
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            left_out.append(f"column {name!r} of dates is not used.")
            continue
        texts = column.astype(object).where(column.notna(), "").astype(str)
        counts = texts[texts != ""].value_counts()
        if len(counts) < 2:
            left_out.append(f"column {name!r} is not used: it always says the same.")
        elif len(counts) <= _MOST_CATEGORIES:
            for value in counts.index[:_MOST_VALUES]:
                made[f"{name} is {value}"] = (texts == value).to_numpy(dtype=float)
        else:
            words = _words(texts)
            if not words:
                left_out.append(f"column {name!r} is not used: every event has its own value.")
            for word in words:
                has = texts.str.contains(rf"\b{re.escape(word)}\b", case=False, regex=True)
                made[f"{name} has {word!r}"] = has.to_numpy(dtype=float)
    return pd.DataFrame(made, index=frame.index), left_out


def _words(texts: pd.Series) -> list[str]:
    """Return the words that are in some events and not in most, the most frequent first."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(re.findall(r"[^\W\d_]{3,}", text.lower())))
    n = len(texts)
    fit = [(word, k) for word, k in counts.items() if max(2, _RARE * n) <= k <= _COMMON * n]
    return [word for word, _ in sorted(fit, key=lambda pair: (-pair[1], pair[0]))[:_MOST_WORDS]]
