"""The standard numeric encoding of a frame that mixes numbers and categories."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted, validate_data

from counterpoint._tables import check_names, promoted
from counterpoint._typing import DataLike, Target
from counterpoint._validation import check_choice, check_flag
from counterpoint.datasets.columns import (
    categories,
    chosen_columns,
    floats,
    frame_columns,
    is_frame,
    objects,
)

_SCALERS: dict[Any, Any] = {"standard": StandardScaler, "minmax": MinMaxScaler}


class TabularEncoder(TransformerMixin, BaseEstimator):
    """Turn a frame of numeric and nominal columns into an array of numbers.

    Numeric columns come first: a missing number becomes the median of its column. Nominal
    columns follow, one-hot or as integer codes. Nothing that comes out is missing. It is
    scikit-learn's `ColumnTransformer` of imputer, scaler and encoder, with the choices made.

    Parameters
    ----------
    nominal : {"onehot", "ordinal"}, default="onehot"
        ``"onehot"`` makes a column of each value seen in `fit`, and one for missing if there
        were any. Of a column with two values, the first gets no column of its own. A value never
        seen is all zeros. ``"ordinal"``, for trees, gives each column integer codes: 0, 1, ... in
        the order of the categories, -1 for missing, -2 for a value never seen.
    scale : False, "standard" or "minmax", default=False
        Scale the numeric columns to mean 0 and variance 1, or to [0, 1].
    missing_indicator : bool, default=False
        Add a column of 0 and 1 for each numeric column that had missing values in `fit`.
    categorical_features : "from_dtype" or array-like, default="from_dtype"
        Which columns are nominal. ``"from_dtype"``: in a pandas or polars frame those of
        categories, strings, objects and booleans; in an array none. Else their names,
        positions, or a boolean mask.

    Attributes
    ----------
    numeric_features_, nominal_features_ : list of int
        Positions of the columns of either kind.
    categories_ : list of list
        The values of each nominal column, in the order of their codes or columns; NaN, last,
        stands for missing.
    transformer_ : ColumnTransformer
        What does the work.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    Examples
    --------
    >>> from counterpoint.datasets import load
    >>> X, y = load("labor", return_X_y=True)
    >>> encoder = TabularEncoder().fit(X)
    >>> encoder.transform(X).shape
    (57, 34)
    >>> encoder.get_feature_names_out()[-3:].tolist()
    ['contribution_to_health_plan_half', 'contribution_to_health_plan_none',
     'contribution_to_health_plan_nan']
    """

    def __init__(
        self,
        *,
        nominal: str = "onehot",
        scale: bool | str = False,
        missing_indicator: bool = False,
        categorical_features: str | ArrayLike = "from_dtype",
    ) -> None:
        self.nominal = nominal
        self.scale = scale
        self.missing_indicator = missing_indicator
        self.categorical_features = categorical_features

    def fit(self, X: DataLike, y: Target = None) -> Self:
        """Learn medians, scales and categories from a pandas or polars frame, or an array."""
        check_flag(self.missing_indicator, "missing_indicator")
        check_choice(self.nominal, "nominal", ("onehot", "ordinal"))
        check_choice(self.scale, "scale", (False, *_SCALERS))
        columns = self._columns(X, reset=True)
        is_nominal = chosen_columns(self.categorical_features, columns)
        self.numeric_features_ = np.flatnonzero(~is_nominal).tolist()
        self.nominal_features_ = np.flatnonzero(is_nominal).tolist()
        self.categories_ = [
            categories(columns[i], seen_only=self.nominal == "onehot")
            for i in self.nominal_features_
        ]
        self.transformer_ = ColumnTransformer(
            [
                ("numeric", self._numeric_steps(), self.numeric_features_),
                ("nominal", self._nominal_step(), self.nominal_features_),
            ],
            sparse_threshold=0,
        ).set_output(transform="default")
        self.transformer_.fit(self._typed(columns))
        self._kept = self._columns_kept()
        return self

    def transform(self, X: DataLike) -> NDArray:
        """Encode rows with the columns seen in `fit`: (n_samples, n_features_out) floats.

        An array, or a frame if `set_output` asked for one.
        """
        check_is_fitted(self)
        typed = self._typed(self._columns(X, reset=False))
        return np.asarray(self.transformer_.transform(typed), dtype=np.float64)[:, self._kept]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray:
        """Return the names of the columns that come out, by those that go in.

        None takes the names seen in `fit`, or ``x0``, ``x1``...
        """
        check_is_fitted(self)
        names = self._names_in(input_features)
        out: list[str] = []
        for kind in ("numeric", "nominal"):
            positions = getattr(self, f"{kind}_features_")
            if positions:
                step = self.transformer_.named_transformers_[kind]
                out.extend(step.get_feature_names_out(names[positions]))
        return _without_doubles([out[i] for i in self._kept])

    def indicators(self) -> dict[str, tuple[str, Any]]:
        """Tell which value each column of 0 and 1 stands for.

        A dict by the name of a column that comes out: (the nominal column it comes from, the
        value); NaN stands for missing. Empty for ``nominal="ordinal"``.
        """
        check_is_fitted(self)
        if self.nominal == "ordinal":
            return {}
        names = self._names_in(None)
        meant = [
            (str(names[i]), value)
            for i, values in zip(self.nominal_features_, self.categories_, strict=True)
            for value in values
        ]
        out = self.get_feature_names_out()
        # The nominal columns come last.
        start = max(self._kept, default=-1) + 1 - len(meant) if meant else len(out)
        return {
            str(name): meant[k - start]
            for name, k in zip(out, self._kept, strict=True)
            if k >= start
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _numeric_steps(self):
        # keep_empty_features: a column with no value at all becomes zeros, and stays a column
        impute = SimpleImputer(
            strategy="median", keep_empty_features=True, add_indicator=self.missing_indicator
        )
        if not self.scale:
            return impute
        if not self.missing_indicator:
            return make_pipeline(impute, _SCALERS[self.scale]())
        # Indicators come after the numbers and stay 0 and 1.
        numbers = list(range(len(self.numeric_features_)))
        scaled = ColumnTransformer(
            [("scaled", _SCALERS[self.scale](), numbers)],
            remainder="passthrough",
            verbose_feature_names_out=False,
        )
        return make_pipeline(impute, scaled)

    def _nominal_step(self):
        values = [np.array(values, dtype=object) for values in self.categories_]
        if self.nominal == "onehot":
            return OneHotEncoder(categories=values, handle_unknown="ignore", sparse_output=False)
        return OrdinalEncoder(
            categories=values,
            handle_unknown="use_encoded_value",
            unknown_value=-2,
            encoded_missing_value=-1,
        )

    def _columns_kept(self):
        """Return the output columns to keep: all but the first of each two-valued column.

        OneHotEncoder can drop them itself, but then warns at every value it never saw.
        """
        n_numeric = len(self.numeric_features_)
        if n_numeric and self.missing_indicator:
            numeric = self.transformer_.named_transformers_["numeric"]
            n_numeric = len(numeric.get_feature_names_out([f"x{i}" for i in range(n_numeric)]))
        if self.nominal == "ordinal":
            return np.arange(n_numeric + len(self.nominal_features_))
        kept, start = list(range(n_numeric)), n_numeric
        for values in self.categories_:
            two = len(values) == 2 or sum(pd.notna(value) for value in values) == 2
            kept.extend(range(start + two, start + len(values)))
            start += len(values)
        return np.array(kept, dtype=np.intp)

    def _columns(self, X, *, reset):
        """Check X and return its columns as pandas Series."""
        if is_frame(X):
            check_names(X)
            validate_data(self, X, reset=reset, skip_check_array=True)
            return frame_columns(X)
        # Text in an array is fine where the caller says which columns are nominal.
        dtype = "numeric" if isinstance(self.categorical_features, str) else None
        try:
            X = validate_data(self, X, reset=reset, dtype=dtype, ensure_all_finite=False)
        except ValueError as error:
            if "could not convert string" in str(error):
                raise ValueError(
                    f"X is an array that holds text ({error}). Pass a pandas or polars frame, or "
                    "say which columns are nominal with `categorical_features`."
                ) from error
            raise
        X = promoted(X)
        return [pd.Series(X[:, i], name=f"x{i}") for i in range(X.shape[1])]

    def _typed(self, columns):
        """Return a frame of floats and objects, missing as NaN in both."""
        nominal = set(self.nominal_features_)
        return pd.DataFrame(
            {
                i: objects(column) if i in nominal else floats(column)
                for i, column in enumerate(columns)
            }
        )

    def _names_in(self, input_features):
        """Return the names of the columns that go in, checked against those seen in `fit`."""
        return OneToOneFeatureMixin.get_feature_names_out(self, input_features)


def _without_doubles(names: list[str]) -> np.ndarray:
    """Make names unique: value 'b' of a column 'a' may meet a column called 'a_b'."""
    taken: set[str] = set()
    for i, name in enumerate(names):
        unique, repeat = name, 2
        while unique in taken:
            unique, repeat = f"{name}_{repeat}", repeat + 1
        taken.add(unique)
        names[i] = unique
    return np.array(names, dtype=object)
