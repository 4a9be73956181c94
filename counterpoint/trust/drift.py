"""Is this still the same population? Two-sample tests of columns, answers and disagreement.

Kolmogorov and Smirnov's test for numbers, the chi-squared test for categories, Holm's correction
over all of them; and a classifier that tries to tell the two samples apart (Lopez-Paz and Oquab
2017), whose area under the curve is tested as Mann and Whitney's statistic.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, ks_2samp, mannwhitneyu
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from counterpoint._tables import promoted
from counterpoint._typing import Seed
from counterpoint._validation import check_count, check_flag
from counterpoint.base import draw_seed
from counterpoint.datasets.columns import is_nominal, objects
from counterpoint.datasets.encoding import TabularEncoder
from counterpoint.trust.inputs import disagreement, ensemble_number, ensemble_proba, need_either

_MOST_ROWS = 5000  # of each sample that the classifier looks at
_FEWEST = 2


def as_frame(X: Any, name: str) -> pd.DataFrame:
    """Return rows as a frame with columns named by text; raise if they are none."""
    if isinstance(X, pd.DataFrame):
        frame = promoted(X).reset_index(drop=True)
    else:
        array = promoted(np.asarray(X))
        if array.ndim != 2:
            raise ValueError(f"{name} has shape {array.shape}: expected (n_samples, n_features).")
        frame = pd.DataFrame(array, columns=[f"column {k}" for k in range(array.shape[1])])
    frame.columns = [str(column) for column in frame.columns]
    if len(frame) == 0 or frame.shape[1] == 0:
        raise ValueError(f"{name} is empty, of shape {frame.shape}: give one row at least.")
    return frame


def both_frames(X_reference: Any, X_new: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both as frames of the same columns."""
    before, after = as_frame(X_reference, "X_reference"), as_frame(X_new, "X_new")
    for frame, name in ((before, "X_reference"), (after, "X_new")):
        twice = frame.columns[frame.columns.duplicated()]
        if len(twice):
            raise ValueError(f"{name} has two columns called {twice[0]!r}: rename one of them.")
    absent = [column for column in before if column not in after]
    if absent:
        raise ValueError(
            f"X_new has no column {absent[0]!r}, which X_reference has: give the same columns."
        )
    return before, after[list(before.columns)]


def holm(p: Sequence[float] | NDArray) -> NDArray:
    """Return p values corrected for their number (Holm 1979); NaN stays NaN and does not count."""
    p = np.asarray(p, dtype=float)
    known = np.isfinite(p)
    out = np.full(len(p), np.nan)
    order = np.argsort(p[known], kind="stable")
    steps = p[known][order] * (known.sum() - np.arange(known.sum()))
    back = np.empty(int(known.sum()))
    back[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    out[known] = back
    return out


def column_tests(X_reference: Any, X_new: Any) -> pd.DataFrame:
    """Test each column for a change of its distribution.

    Parameters
    ----------
    X_reference, X_new : array-like or frame of shape (n_samples, n_features)
        Missing values are one more category, or for numbers a test of their share.

    Returns
    -------
    DataFrame
        A row per column, the surest change first: "column", "test", the "statistic" (largest
        distance of the distributions, for categories half the sum of the distances of shares),
        "p" and "p_holm", corrected for the number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.trust import column_tests
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> column_tests(X[:200], X[200:] + [0, 1])["column"].tolist()
    ['column 1', 'column 0']
    """
    before, after = both_frames(X_reference, X_new)
    rows = []
    for column in before:
        test, statistic, p = _test_column(before[column], after[column])
        rows.append({"column": column, "test": test, "statistic": statistic, "p": p})
    frame = pd.DataFrame(rows)
    frame["p_holm"] = holm(frame["p"].to_numpy())
    return frame.sort_values("p", kind="stable").reset_index(drop=True)


def _test_column(before: pd.Series, after: pd.Series) -> tuple[str, float, float]:
    if is_nominal(before) or is_nominal(after):
        told = [pd.Series(objects(s)).astype(str) for s in (before, after)]
        return ("chi-squared", *category_test(told[0], told[1]))
    numbers = [pd.to_numeric(s, errors="coerce").to_numpy(dtype=float) for s in (before, after)]
    gaps = [np.isnan(one) for one in numbers]
    known = [one[~gap] for one, gap in zip(numbers, gaps, strict=True)]
    statistic, p = number_test(*known)
    if gaps[0].any() or gaps[1].any():
        share, p_gap = category_test(pd.Series(gaps[0]), pd.Series(gaps[1]))
        both = np.fmin(p, p_gap)  # two tests of one column
        return "Kolmogorov-Smirnov, gaps", float(np.fmax(statistic, share)), min(2 * both, 1.0)
    return "Kolmogorov-Smirnov", statistic, p


def number_test(before: NDArray, after: NDArray) -> tuple[float, float]:
    """Return Kolmogorov and Smirnov's statistic and p value; NaN with fewer than two numbers."""
    if min(len(before), len(after)) < _FEWEST:
        return np.nan, np.nan
    result = ks_2samp(
        before, after, method="asymp" if len(before) * len(after) > 10_000 else "auto"
    )
    return float(result.statistic), float(result.pvalue)


def category_test(before: pd.Series, after: pd.Series) -> tuple[float, float]:
    """Return half the distance of the shares of categories, and the p value of chi-squared."""
    counts = pd.concat([before.value_counts(), after.value_counts()], axis=1).fillna(0).to_numpy()
    if len(counts) < 2:
        return 0.0, 1.0
    shares = counts / counts.sum(axis=0)
    distance = float(np.abs(shares[:, 0] - shares[:, 1]).sum() / 2)
    # Rare categories together: chi-squared needs some five in each cell.
    total = counts.sum(axis=1)
    rare = total * counts.sum(axis=0).min() / counts.sum() < 5
    if rare.sum() > 1:
        counts = np.vstack([counts[~rare], counts[rare].sum(axis=0)])
    if len(counts) < 2:
        return distance, 1.0
    return distance, float(chi2_contingency(counts, correction=len(counts) == 2).pvalue)


def classifier_test(
    X_reference: Any, X_new: Any, *, n_estimators: int = 100, random_state: Seed = None
) -> tuple[float, float]:
    """Train a forest to tell new rows from the reference; test whether it can.

    Parameters
    ----------
    X_reference, X_new : array-like or frame of shape (n_samples, n_features)
        Of more than 5000 rows, some drawn by lot.
    n_estimators : int, default=100
        Trees of the forest.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    auc, p : float
        Area under the curve on rows that trees did not see, 1/2 if nothing tells them apart, and
        the p value of Mann and Whitney's test that it is not above; NaN with fewer than ten rows
        in a sample.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.trust import classifier_test
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> auc, p = classifier_test(X[:150], X[150:] + [0, 0, 1], random_state=0)
    >>> auc > 0.6, p < 0.01
    (True, True)
    """
    before, after = both_frames(X_reference, X_new)
    check_count(n_estimators, "n_estimators")
    if min(len(before), len(after)) < 10:
        return np.nan, np.nan
    rng = check_random_state(random_state)
    parts = [
        part.sample(min(len(part), _MOST_ROWS), random_state=draw_seed(rng))
        for part in (before, after)
    ]
    frame = pd.concat(parts, ignore_index=True)
    is_new = np.repeat([0, 1], [len(parts[0]), len(parts[1])])
    X = TabularEncoder().fit(frame, is_new).transform(frame)
    score = np.empty(len(frame))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=draw_seed(rng)).split(
        X, is_new
    ):
        forest = RandomForestClassifier(
            n_estimators, min_samples_leaf=5, random_state=draw_seed(rng)
        )
        score[test] = forest.fit(X[train], is_new[train]).predict_proba(X[test])[:, 1]
    result = mannwhitneyu(score[is_new == 1], score[is_new == 0], alternative="greater")
    return float(result.statistic / (parts[0].shape[0] * parts[1].shape[0])), float(result.pvalue)


def output_tests(reference: Any, new: Any) -> pd.DataFrame:
    """Test whether members answer new samples as they answer the reference.

    Parameters
    ----------
    reference, new : MemberOutputs or MemberPredictions
        Of the same members; no truth is needed.

    Returns
    -------
    DataFrame
        A row per question: "disagreement" of the members, and the "answers" and "confidence" of
        the ensemble (of numbers only the answers), with "statistic", "p" and "p_holm".

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import output_tests
    >>> rng = np.random.default_rng(0)
    >>> votes = rng.integers(2, size=(5, 200))
    >>> sure = np.tile(rng.integers(2, size=200), (5, 1))
    >>> tests = output_tests(MemberOutputs(votes), MemberOutputs(sure))
    >>> bool(tests.set_index("of").loc["disagreement", "p_holm"] < 0.01)
    True
    """
    need_either(reference, new)
    rows = [("disagreement", *number_test(disagreement(reference), disagreement(new)))]
    if hasattr(reference, "values"):
        rows.append(("answers", *number_test(ensemble_number(reference), ensemble_number(new))))
    else:
        before, after = ensemble_proba(reference), ensemble_proba(new)
        said = [pd.Series(p.argmax(axis=1)) for p in (before, after)]
        rows.append(("answers", *category_test(said[0], said[1])))
        rows.append(("confidence", *number_test(before.max(axis=1), after.max(axis=1))))
    frame = pd.DataFrame(rows, columns=["of", "statistic", "p"])
    frame["p_holm"] = holm(frame["p"].to_numpy())
    return frame


def detect_shift(
    reference: Any,
    new: Any,
    *,
    X_reference: Any = None,
    X_new: Any = None,
    classifier: bool = False,
    random_state: Seed = None,
) -> pd.DataFrame:
    """Run all tests of a change of population at once, corrected for their number.

    Parameters
    ----------
    reference, new : MemberOutputs or MemberPredictions
        Of the same members.
    X_reference, X_new : array-like or frame, default=None
        The rows themselves, to test their columns, too.
    classifier : bool, default=False
        Also train a forest to tell the rows apart: slower, and sees changes of columns together.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    DataFrame
        A row per test, the surest change first: "of", "statistic", "p", "p_holm".

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import detect_shift
    >>> rng = np.random.default_rng(0)
    >>> outputs = MemberOutputs(rng.integers(2, size=(5, 100)))
    >>> bool(detect_shift(outputs, outputs)["p_holm"].min() > 0.9)
    True
    """
    tests = [output_tests(reference, new).drop(columns="p_holm")]
    if (X_reference is None) != (X_new is None):
        raise ValueError("X_reference and X_new go together: pass both or none.")
    if X_reference is not None:
        columns = column_tests(X_reference, X_new).rename(columns={"column": "of"})
        tests.append(columns[["of", "statistic", "p"]])
    if check_flag(classifier, "classifier"):
        if X_reference is None:
            raise ValueError("classifier=True needs the rows: pass X_reference and X_new.")
        auc, p = classifier_test(X_reference, X_new, random_state=random_state)
        tests.append(pd.DataFrame({"of": ["all columns"], "statistic": [auc], "p": [p]}))
    frame = pd.concat(tests, ignore_index=True)
    frame["p_holm"] = holm(frame["p"].to_numpy())
    return frame.sort_values("p", kind="stable").reset_index(drop=True)
