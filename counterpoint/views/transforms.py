"""Members that see the data through untrained networks."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from counterpoint._typing import DataLike, Estimator, Seed
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.scaling import centre_and_scale
from counterpoint.views.view import TrainingSet, View, numeric_columns

# Units are saturated long before; beyond any number their inputs overflow.
_LARGEST_GAIN = 1e30
_ACTIVATIONS: dict[str, Callable] = {
    "tanh": np.tanh,
    "relu": lambda a: np.maximum(a, 0.0),
    "identity": lambda a: a,
}


@dataclass
class UntrainedNetworkView(View):
    """The data passed through a network whose weights are random and stay so.

    Columns are put on a common scale first. Weights are normal with variance ``gain ** 2`` over
    the number of inputs of a unit, biases normal with variance ``gain ** 2``.

    Parameters
    ----------
    n_units, n_layers, activation, gain, keep_inputs
        See :class:`RandomTransformClassifier`. Columns that are kept are on their common scale.

    Attributes
    ----------
    weights_, biases_ : list of ndarray
        A layer each.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.views import UntrainedNetworkView
    >>> view = UntrainedNetworkView(n_units=7)
    >>> view.fit(np.eye(4), np.arange(4), None, np.random.RandomState(0)).X.shape
    (4, 7)
    """

    n_units: int | None = None
    n_layers: int = 1
    activation: str = "tanh"
    gain: float = 1.0
    keep_inputs: bool = False

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Draw the network and pass the data through it."""
        X = numeric_columns(X, name=type(self).__name__)
        check_count(self.n_layers, "n_layers")
        check_choice(self.activation, "activation", tuple(_ACTIVATIONS))
        gain = check_number(self.gain, "gain", low=0, open_low=True, high=_LARGEST_GAIN)
        n_units = X.shape[1]
        if self.n_units is not None:
            n_units = check_count(self.n_units, "n_units", hint=", or None")
        self.centre_, self.scale_ = centre_and_scale(X, sample_weight)
        self.weights_, self.biases_ = [], []
        n_inputs = X.shape[1]
        for _ in range(self.n_layers):
            spread = gain / np.sqrt(n_inputs)
            self.weights_.append(rng.standard_normal((n_inputs, n_units)) * spread)
            self.biases_.append(rng.standard_normal(n_units) * gain)
            n_inputs = n_units
        return TrainingSet(self.transform(X), y, sample_weight)

    def transform(self, X: DataLike) -> NDArray:
        """Pass new samples through the network."""
        inputs = (numeric_columns(X, name=type(self).__name__) - self.centre_) / self.scale_
        act = _ACTIVATIONS[self.activation]
        hidden = inputs
        for weights, biases in zip(self.weights_, self.biases_, strict=True):
            hidden = act(hidden @ weights + biases)
        return np.hstack([inputs, hidden]) if self.keep_inputs else hidden


class RandomTransformClassifier(BaseViewClassifier):
    """Train each member on the data as an untrained network of its own shows them.

    All members see the same rows, each through another random distortion; new samples pass
    through it too.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is scikit-learn's ``DecisionTreeClassifier()``.
    n_estimators : int, default=10
        Number of members.
    n_units : int or None, default=None
        Units in each layer, and so columns that a member sees; None is as many as columns.
    n_layers : int, default=1
        Layers of units.
    activation : {"tanh", "relu", "identity"}, default="tanh"
        What a unit does with its sum. "identity" is a random linear transformation.
    gain : float, default=1.0
        Size of the weights: larger is more distorted.
    keep_inputs : bool, default=False
        Let members see the columns as well.
    n_jobs : int or None, default=None
        Members trained at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds networks and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    estimators_ : list of classifiers
        The members.
    views_ : list of UntrainedNetworkView
        Their networks.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] A. Sharkey et al., "Diverse neural net solutions to a fault diagnosis problem",
       Neural Computing and Applications 4, 1996.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       2.2.1, "Applying random transformations".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import RandomTransformClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = RandomTransformClassifier(n_units=8, random_state=0).fit(X, y)
    >>> ensemble.views_[0].transform(X).shape
    (150, 8)
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 10,
        n_units: int | None = None,
        n_layers: int = 1,
        activation: str = "tanh",
        gain: float = 1.0,
        keep_inputs: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_units = n_units
        self.n_layers = n_layers
        self.activation = activation
        self.gain = gain
        self.keep_inputs = keep_inputs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_views(self, X, y, sample_weight, rng):
        n = check_count(self.n_estimators, "n_estimators")
        options = {own.name: getattr(self, own.name) for own in fields(UntrainedNetworkView)}
        return [UntrainedNetworkView(**options)] * n
