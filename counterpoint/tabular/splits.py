"""Which rows are held out to test on: drawn by lot, whole groups, or the latest."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit, TimeSeriesSplit, train_test_split

from counterpoint.tabular.column import is_date, is_number, some, text_labels
from counterpoint.tabular.columns import find_column
from counterpoint.tabular.taking import names_an_id

# Groups are drawn so often at most until every class has rows to learn from.
_DRAWS = 20
_N_FOLDS = 5
# A name of its own in nearly every row groups nothing.
_NEARLY = 0.9
# Enough rows to see what a way to hold them out changes.
_MANY_ROWS = 20_000
BY_LOT = "drawn by lot"
# Columns that say of whom a row is, if they name so many.
_PEOPLE = re.compile(
    r"(?:^|[^a-z])(?:user|customer|client|account|person|patient|subject|participant|household|"
    r"member|student|employee|kunde)s?$"
)
_MANY = 10


@dataclass(frozen=True)
class Held:
    """By what rows are held out, as a table says it; made by :meth:`of`.

    Attributes
    ----------
    frame : DataFrame
        The table, without the column of groups.
    target : str
    groups, times : ndarray or None
        Of the rows that have a target.
    words : str
        How rows are held out.
    left_out : dict of str to str
        The column not to be learnt from, and why.
    """

    frame: pd.DataFrame
    target: str
    groups: NDArray | None = None
    times: NDArray | None = None
    words: str = BY_LOT
    left_out: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: pd.DataFrame, target: str, *, group: str | None, time: str | None) -> "Held":
        """Look for the columns named."""
        if group is None and time is None:
            return cls(frame, target)
        if group is not None and time is not None:
            raise ValueError(
                f"group={group!r} and time={time!r} hold out other rows each: give one of them."
            )
        frame = frame.rename(columns=str)
        find_column(target, list(frame.columns), what="target column", option="target=")
        for name, option in ((group, "group="), (time, "time=")):
            if name is not None:
                find_column(name, list(frame.columns), what="column", option=option)
            if name == target:
                raise ValueError(f"{option}{name!r} is the target itself.")
        known = frame[text_labels(frame[target]).notna().to_numpy()]
        if time is not None:
            return cls(
                frame, target, times=order_column(known, time), words=f"the latest by {time!r}"
            )
        assert group is not None
        return cls(
            frame.drop(columns=group), target, groups=group_column(known, group),
            words=f"whole groups of {group!r}",
            left_out={group: "it says which rows belong together"},
        )  # fmt: skip

    def wishes(self, wishes: Mapping[str, str]) -> dict[str, str]:
        """Return wishes about the columns that are left."""
        return {name: use for name, use in wishes.items() if name not in self.left_out}

    def warnings(self, y: NDArray) -> list[str]:
        """Say which columns make rows depend on each other, so that rows drawn by lot mislead."""
        said = []
        for label in self.frame.columns:
            name, values = str(label), self.frame[label]
            if name == self.target:
                continue
            if is_date(values):
                said.append(
                    f"column {name!r} holds dates: to know how well what comes later is "
                    f"predicted, test on the latest rows: time={name!r}."
                )
            elif _names_one(name, values) and 1 < values.nunique() < _NEARLY * values.notna().sum():
                said.append(
                    f"column {name!r} names the same one in several rows, and some may be in both "
                    f"parts: group={name!r} keeps them together."
                )
        return said


def _names_one(name: str, values: pd.Series) -> bool:
    """Whether a column says whom or what a row is about: an id, or many people."""
    return names_an_id(name) or (bool(_PEOPLE.search(name.lower())) and values.nunique() >= _MANY)


class Rows:
    """The rows to train on and to test on, and how members may be cross-fitted.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labels as text, or numbers.
    test_size : float
        Share of the rows to test on.
    random_state : int
    groups : ndarray of shape (n_rows,), default=None
        Rows of one group are all in one part.
    times : ndarray of shape (n_rows,), default=None
        The latest rows are tested on; rows to train on are in the order of time.

    Attributes
    ----------
    train, test : ndarray of int
        Positions of rows.
    """

    def __init__(
        self,
        y: NDArray,
        test_size: float,
        random_state: int,
        *,
        groups: NDArray | None = None,
        times: NDArray | None = None,
    ):
        self.y, self.test_size, self.groups, self.times = y, test_size, groups, times
        self._check_sizes()
        if times is not None:
            self.train, self.test = self._latest(times)
        elif groups is not None:
            self.train, self.test = self._by_groups(groups, random_state)
        else:
            stratify = None if y.dtype.kind == "f" else y
            self.train, self.test = train_test_split(
                np.arange(len(y)), test_size=test_size, random_state=random_state,
                stratify=stratify,
            )  # fmt: skip
        absent = self._absent(self.train, self.test)
        if len(absent):
            raise ValueError(
                f"With test_size={test_size:g} no row of class {some(absent.tolist())} is left to "
                "learn from: hold out less."
            )

    def _check_sizes(self) -> None:
        n = len(self.y)
        fewest = min(round(self.test_size * n), round((1 - self.test_size) * n))
        if self.y.dtype.kind == "f":
            if fewest < 2:
                raise ValueError(
                    f"{n} rows are too few to hold out test_size={self.test_size:g} of them: each "
                    "part needs two rows. Give more rows or another share."
                )
        elif fewest < (n_classes := len(np.unique(self.y))):
            raise ValueError(
                f"{n} rows are too few to hold out test_size={self.test_size:g} of them with "
                f"{n_classes} classes: each part needs a row per class. Give more rows or another "
                "share."
            )

    def _absent(self, train: NDArray, test: NDArray) -> NDArray:
        if self.y.dtype.kind == "f":
            return np.array([])
        return np.setdiff1d(self.y[test], self.y[train])

    def _latest(self, times: NDArray) -> tuple[NDArray, NDArray]:
        order = np.argsort(times, kind="stable")
        first = len(order) - round(self.test_size * len(order))
        # Rows of the same moment stay together, on the side of the later ones.
        first = int(np.searchsorted(times[order], times[order[first]], side="left"))
        if first == 0:
            raise ValueError(
                "All rows but the latest are of one moment: there is nothing earlier to learn from."
            )
        return order[:first], order[first:]

    def _by_groups(self, groups: NDArray, seed: int) -> tuple[NDArray, NDArray]:
        n_groups = len(np.unique(groups))
        if n_groups < 2:
            raise ValueError("All rows are of one group: there is no other to test on.")
        draws = GroupShuffleSplit(_DRAWS, test_size=self.test_size, random_state=seed)
        for train, test in draws.split(groups, groups=groups):
            if not len(self._absent(train, test)):
                return train, test
        return train, test

    def fold_options(self) -> dict[str, Any]:
        """Return what the flagship needs to cross-fit as the rows are split: parameters."""
        if self.times is None:
            return {}
        return {"cv": TimeSeriesSplit(min(_N_FOLDS, max(2, len(self.train) // 10)))}

    def fit_options(self) -> dict[str, NDArray]:
        """Return what its ``fit`` is told."""
        return {} if self.groups is None else {"groups": self.groups[self.train]}


def order_column(frame: pd.DataFrame, name: str) -> NDArray:
    """Return the values of a column of times, dates or numbers, without gaps."""
    values = _filled(frame[name], "time=")
    if is_date(values):
        return values.to_numpy().astype("datetime64[ns]").astype(np.int64)
    if is_number(values):
        return values.to_numpy(dtype=np.float64)
    raise ValueError(
        f"time={name!r}: the column holds neither dates nor numbers, but {str(values.iloc[0])!r} "
        "say: rows cannot be put in order by it."
    )


def group_column(frame: pd.DataFrame, name: str) -> NDArray:
    """Return which group each row is of, as whole numbers."""
    return pd.factorize(_filled(frame[name], "group=").astype(str))[0]


def _filled(values: pd.Series, option: str) -> pd.Series:
    if gaps := int(values.isna().sum()):
        raise ValueError(
            f"{option}{values.name!r}: the column has {gaps} gap{'s' * (gaps > 1)}: fill them, or "
            "leave these rows out."
        )
    return values


def promised_by_lot(
    make: Callable[[], Any], X: pd.DataFrame, y: NDArray, rows: Rows, random_state: int
) -> tuple[float, float]:
    """Return the loss of a quick model on the rows held out, and on rows drawn by lot.

    The loss is the share of wrong answers; for numbers the root of the mean squared error.
    """
    some_rows = np.arange(0, len(y), -(-len(y) // _MANY_ROWS))
    X, y = X.iloc[some_rows], y[some_rows]
    by = {
        name: None if values is None else values[some_rows]
        for name, values in (("groups", rows.groups), ("times", rows.times))
    }
    found = []
    for parts in (
        Rows(y, rows.test_size, random_state, **by),
        Rows(y, rows.test_size, random_state),
    ):
        model = make().fit(X.iloc[parts.train], y[parts.train])
        said, truth = model.predict(X.iloc[parts.test]), y[parts.test]
        if y.dtype.kind == "f":
            found.append(float(np.sqrt(np.mean((said - truth) ** 2))))
        else:
            found.append(float(np.mean(said != truth)))
    return found[0], found[1]
