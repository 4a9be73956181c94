"""What is made of texts and dates: columns of numbers that every learner takes."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

PARTS = ("year", "month", "day", "weekday", "hour")
"""Parts that a date may have; a weekday is 1 on Monday."""
MOST_WORDS = 50
# One-hot columns are dense: a column of names or ids would cost much and teach nothing.
MOST_CATEGORIES = 200
# Fewer rows prove nothing about ids; of more, one where nearly every row has its own value is one.
FEW, NEARLY = 20, 0.9
_WORDS_OF_TEXT = 3.0
# A word in more rows than this says as little as "the".
_MOST_ROWS = 0.5


def find_words(texts: pd.Series, *, most_rows: float = _MOST_ROWS) -> tuple[str, ...]:
    """Return the words to look through a column of texts for: the most common, in two rows or more.

    Not those that are in more than the part ``most_rows`` of the rows.

    Examples
    --------
    >>> find_words(pd.Series(["very late", "late again", "blue", "red", "red again"]))
    ('again', 'late', 'red')
    """
    from sklearn.feature_extraction.text import CountVectorizer

    rows = len(texts)
    least = max(2, round(0.01 * rows))
    try:
        counter = CountVectorizer(
            binary=True, min_df=least, max_df=max(most_rows, least / rows),
            max_features=MOST_WORDS,
        ).fit(texts.astype(str))  # fmt: skip
    except ValueError:  # no word is in enough rows
        return ()
    return tuple(sorted(map(str, counter.vocabulary_)))


def has_many_values(texts: pd.Series) -> bool:
    """Whether cells hold more different values than categories do, gaps left out.

    Examples
    --------
    >>> has_many_values(pd.Series(list("ab") * 50))
    False
    """
    distinct = texts.nunique()
    return distinct > MOST_CATEGORIES or (distinct > FEW and distinct > NEARLY * len(texts))


def is_prose(texts: pd.Series) -> bool:
    """Whether cells of a column of texts, gaps left out, are sentences, not names or codes.

    Examples
    --------
    >>> is_prose(pd.Series([f"the {k} is blue" for k in range(30)]))
    True
    """
    if not has_many_values(texts):
        return False
    distinct = pd.unique(texts)
    some = distinct[:: max(1, len(distinct) // 500)]
    return float(np.mean([len(str(text).split()) for text in some])) >= _WORDS_OF_TEXT


def word_columns(texts: pd.Series, words: tuple[str, ...]) -> list[NDArray]:
    """Return a column of 0 and 1 for each of the words, and the number of words.

    Examples
    --------
    >>> [column.tolist() for column in word_columns(pd.Series(["very late", None]), ("late",))]
    [[1.0, 0.0], [2.0, 0.0]]
    """
    from sklearn.feature_extraction.text import CountVectorizer

    filled = texts.astype(object).where(texts.notna(), "").astype(str)
    lengths = np.array([len(text.split()) for text in filled], dtype=float)
    if not words:
        return [lengths]
    counter = CountVectorizer(binary=True, vocabulary=list(words))
    there = counter.transform(filled).toarray().astype(float)
    return [*there.T, lengths]


def date_part(dates: pd.Series, part: str) -> pd.Series:
    """Return a part of dates, one of ``PARTS``, as numbers.

    Examples
    --------
    >>> date_part(pd.Series(pd.to_datetime(["2024-05-03"])), "weekday").tolist()
    [5]
    """
    if part == "weekday":
        return dates.dt.day_of_week + 1
    return getattr(dates.dt, part)
