"""Histories as plain rows: the recent events averaged, side by side, or fading."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from counterpoint._typing import DataLike, Target
from counterpoint._validation import check_choice, check_count, check_list, check_number
from counterpoint.sequences.data import as_sequences, latest_events
from counterpoint.sequences.histories import Histories


class RecentEventsTransformer(TransformerMixin, BaseEstimator):
    """Turn histories into rows that any classifier takes, from their most recent events.

    Where only the last few events matter, little is lost by averaging them, and all the usual
    classifiers can be used [1]_.

    Parameters
    ----------
    n_events : int, default=2
        Events looked at, from the end.
    how : {"mean", "concat", "decay"}, default="mean"
        "mean" averages each column over the events, "concat" puts the events side by side, the
        latest first, "decay" averages with weights that fall by ``rate`` per event back.
    rate : float, default=0.5
        For "decay": above 0 and at most 1, which is "mean".
    columns : sequence of int or str, default=None
        Columns to use; names are those of the log. None takes all.

    Attributes
    ----------
    n_features_in_ : int
        Columns of an event.
    columns_ : ndarray of int
        Columns used.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, eq. 6.8:
       the coefficients are 1/n for the last n events.

    Examples
    --------
    >>> from counterpoint.sequences import RecentEventsTransformer
    >>> RecentEventsTransformer(2).fit_transform([[[1.0], [2.0], [4.0]]]).tolist()
    [[3.0]]
    """

    def __init__(
        self, n_events: int = 2, *, how: str = "mean", rate: float = 0.5, columns: Any = None
    ) -> None:
        self.n_events = n_events
        self.how = how
        self.rate = rate
        self.columns = columns

    def fit(self, X: DataLike, y: Target = None) -> Self:
        """Note the columns.

        Parameters
        ----------
        X : Histories or sequences
            A 2-D array is one event per sequence.
        y : ignored

        Returns
        -------
        RecentEventsTransformer
        """
        check_count(self.n_events, "n_events")
        check_choice(self.how, "how", ("mean", "concat", "decay"))
        check_number(self.rate, "rate", low=0, high=1, open_low=True)
        names = X.log.columns if isinstance(X, Histories) else None
        self.n_features_in_ = self._recent(X, None).shape[2]
        wanted = list(range(self.n_features_in_))
        if self.columns is not None:
            wanted = check_list(self.columns, "columns", "names or positions")
            if not wanted:
                raise ValueError("columns is empty: name at least one, or None for all.")
        self.columns_ = np.array([self._place(c, names) for c in wanted])
        self._names = names
        return self

    def _place(self, column, names):
        if isinstance(column, str):
            if names is None or column not in names:
                raise ValueError(f"columns name {column!r}, but the columns are {names}.")
            return names.index(column)
        if not 0 <= column < self.n_features_in_:
            raise ValueError(
                f"columns ask for column {column}, but events have {self.n_features_in_}."
            )
        return int(column)

    def _recent(self, X, n_features):
        if isinstance(X, Histories):
            recent = X.recent(self.n_events)
        else:
            data = as_sequences(X)
            recent = latest_events(data.values, data.start[1:] - 1, data.lengths, self.n_events)
        if n_features is not None and recent.shape[2] != n_features:
            raise ValueError(
                f"X has {recent.shape[2]} features, but RecentEventsTransformer is expecting "
                f"{n_features} features as input."
            )
        return recent

    def transform(self, X: DataLike) -> NDArray:
        """Return a row per history.

        Means leave missing values out; a column missing throughout is NaN.

        Parameters
        ----------
        X : Histories or sequences

        Returns
        -------
        ndarray of shape (n_histories, n_columns) or (n_histories, n_events * n_columns)
        """
        check_is_fitted(self)
        recent = self._recent(X, self.n_features_in_)[:, :, self.columns_]
        if self.how == "concat":
            return recent.reshape(len(recent), -1)
        rate = 1.0 if self.how == "mean" else float(self.rate)
        weight = np.where(np.isnan(recent), 0.0, rate ** np.arange(self.n_events)[:, None])
        with np.errstate(invalid="ignore"):
            return (weight * np.nan_to_num(recent)).sum(axis=1) / weight.sum(axis=1)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray:
        """Return names of the columns made."""
        check_is_fitted(self)
        names = [self._names[c] if self._names else f"x{c}" for c in self.columns_]
        if self.how == "concat":
            names = [f"{name} {back} back" for back in range(self.n_events) for name in names]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
