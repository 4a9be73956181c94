"""Negative correlation learning: networks trained together, so that their errors cancel."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import compute_sample_weight

from counterpoint._typing import ClassWeight, DataLike, Seed, Target, Weights
from counterpoint._validation import check_choice, check_number
from counterpoint.base import encode_target, read_labels
from counterpoint.combiners.simplex import project_to_simplex
from counterpoint.networks.base import BaseNetworkClassifier, BaseNetworkRegressor
from counterpoint.networks.coupling import LOSSES
from counterpoint.networks.joint import BaseJointNetworks


class NegativeCorrelationClassifier(BaseJointNetworks, BaseNetworkClassifier):
    """Classify by the mean of networks that are trained together.

    Negative correlation learning: the error of every network has a term that pays it for
    differing from the ensemble, so that errors cancel in the mean. ``strength`` sets how much:
    from networks trained alone to one joint network, of more and more complex fits. Pushing it
    to 1 can overfit; the page on negative correlation in the documentation says when.

    Parameters
    ----------
    n_estimators : int, default=5
        Number of networks, N. One network has nobody to differ from: lambda* is undefined, and
        it is trained alone.
    hidden_layer_sizes : int or tuple of int, default=(20,)
        Units of each hidden layer; ``()`` for none.
    strength : float in [0, 1], "auto" or None, default=None
        s = lambda / lambda*: 0 trains every network alone, 1 trains all as one network. None
        is 0.5, the best on average over a dozen shipped data sets (see the
        documentation). "auto" holds out a quarter of the
        samples, walks from 0 to 1 with warm starts, takes the strength with the lowest loss on
        them, and fits all samples anew.
    lam : float or None, default=None
        Lambda itself, instead of ``strength``. Beyond lambda* linear outputs fly apart.
    lam_end : float or None, default=None
        Raise lambda while training: up to ``rise_from`` of ``max_epochs`` it stays, then it goes
        evenly to this, reached in the last epoch. With sigmoid outputs and lambda* to start from,
        members are gently pressed to 0 and 1 and the ensemble to k/N, which evens out margins
        [1]_ (sections 4.4 and 7.1). All epochs are run; ``patience`` is for
        ``early_stopping`` only.
    rise_from : float in [0, 1], default=0.5
        Share of the epochs after which lambda starts to move.
    penalty : {"ncl", "pairs", "root-quartic"}, registered name or Coupling, default="ncl"
        "ncl": ``-(f_i - f)^2``. "root-quartic": ``-sqrt(mean_j (f_i - f_j)^4)`` of McKay and
        Abbass, with the sign that drives members apart; its lambda* is 1 / (2 sqrt(2)) for all
        N, the largest at which ideal linear outputs never spread. "pairs": "ncl" on the differences
        f_a - f_b of outputs, with targets d_a - d_b, over all pairs of classes [5]_. One of your
        own: the page on adding a coupling shows how.
    loss : {"squared", "cross-entropy"}, default="squared"
        "squared" on targets 0 and 1, one output a class, as in [1]_. "cross-entropy" is
        generalized negative correlation learning: ``(1 - s) CE(p_i) + s N CE(p)``, p the mean [3]_.
    output : {"auto", "linear", "sigmoid", "softmax"}, default="auto"
        Output units. "auto" is linear for the squared loss, softmax for the cross-entropy.
    activation : {"tanh", "logistic", "relu"}, default="tanh"
        Hidden units.
    init : {"nguyen-widrow", "nguyen-widrow-range", "glorot"}, default="nguyen-widrow"
        How weights are drawn. "nguyen-widrow" is for inputs near [-1, 1]; "nguyen-widrow-range"
        takes the range of every input into account, as MATLAB's ``initnw`` does: for raw inputs
        (``scale=False``), where the other leaves nearly all hidden units saturated.
    solver : {"adam", "gd"}, default="adam"
        "gd" is plain gradient descent at a fixed rate, as in [1]_.
    learning_rate : float, default=0.01
    alpha : float, default=0.01
        Weight decay. 0 in [1]_.
    max_epochs : int, default=200
        Epochs in one call of ``fit``.
    batch_size : int, "auto" or None, default="auto"
        Samples in a step. None takes all of them; "auto" does so up to 1000 and takes 200 beyond.
    scale : bool, default=True
        Bring inputs to mean 0 and standard deviation 1 inside.
    early_stopping : bool, default=False
        Hold out samples, stop when the ensemble's loss on them no longer falls, and keep the
        networks at its lowest.
    validation_fraction : float, default=0.1
        Share of the samples to hold out.
    patience : int or None, default=20
        Stop after so many epochs without progress: on held-out samples with ``early_stopping``,
        else in what the networks descend on the training data. None never stops early.
    tol : float, default=1e-4
        What counts as progress.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes.
    record : bool or int, default=False
        Record ``dynamics_``; a number is the number of epochs between records, True makes about
        a hundred of them.
    warm_start : bool, default=False
        Go on from the networks there are. The scale of the inputs stays that of the first fit.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds weights, splits and shuffles.

    Attributes
    ----------
    strength_, lam_ : float
        Strength and lambda used; with ``lam_end``, those at the start.
    lam_star_ : float
        The lambda of strength 1, ``0.5 / (1 - 1/N)`` for "ncl". NaN for one network.
    lam_upper_ : float
        ``0.5 / (1 - 1/N)^2``, where a single member's error loses its minimum. NaN for one
        network and for "root-quartic".
    networks_ : Networks
        All weights: ``networks_.coefs`` and ``networks_.intercepts``, one array per layer, members
        first.
    n_epochs_, best_epoch_ : int
        Epochs run, and the one that the networks are of.
    loss_ : float
        What was watched at that epoch: the loss held out, or what is descended, weight decay
        included. NaN if nothing.
    stop_reason_ : {"max_epochs", "no progress", "interrupted"}
        Ctrl-C keeps the best networks so far.
    dynamics_ : Dynamics
        With ``record``: for every recorded epoch and set of data the mean output of members by
        class, their distance from the ensemble, losses and errors of members and ensemble;
        ``dynamics_.frame()`` and ``output_frame()`` are tidy frames, ``NCLDynamicsDisplay`` the
        picture.
    collusion_ : Collusion
        With ``early_stopping`` or ``eval_set``: what members gain from each other on training
        data and on new data, ``collusion_.frame()``. A ``CollusionWarning`` says when it does not
        carry over; see ``Collusion.colludes`` for the rule.
    strength_path_ : DataFrame
        With ``strength="auto"``: losses and ambiguity along the walk.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Warns
    -----
    UserWarning
        Lambda is beyond lambda* and outputs are linear.
    CollapseWarning
        The ensemble gives the same answer to every training sample.
    CollusionWarning
        Diversity does not carry over.

    Raises
    ------
    DivergenceError
        Training ran away. Networks of an earlier fit stay as they were.

    Notes
    -----
    At a sample with target d the error of member i is ``(f_i - d)^2 / 2 - lambda (f_i - f)^2``, f
    the mean output. Its true derivative is ``(1 - s) (f_i - d) + s (f - d)`` with
    ``s = 2 lambda (1 - 1/N)`` [1]_; Liu and Yao [2]_ take f as constant, so their lambda is our
    strength. Gradients are means over samples. ``predict`` is the class of the largest mean
    output. At strength 1 single members are poor; only their mean predicts.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University, 2010, chapter 4 and appendix A.
    .. [2] Y. Liu and X. Yao, "Ensemble learning via negative correlation", Neural Networks 12,
       1999.
    .. [3] S. Buschjäger, L. Pfahler and K. Morik, "Generalized negative correlation learning for
       deep ensembling", arXiv:2011.02952, 2020.
    .. [4] A. Jeffares, T. Liu, J. Crabbé and M. van der Schaar, "Joint training of deep ensembles
       fails due to learner collusion", NeurIPS 2023.
    .. [5] M. Zanda, G. Brown, G. Fumera and F. Roli, "Ensemble learning in linearly combined
       classifiers via negative correlation", Multiple Classifier Systems 2007.

    Examples
    --------
    >>> from counterpoint.datasets import make_ripley
    >>> from counterpoint.networks import NegativeCorrelationClassifier
    >>> X, y = make_ripley(random_state=0)
    >>> model = NegativeCorrelationClassifier(3, strength=0.5, random_state=0).fit(X, y)
    >>> model.lam_star_, model.lam_
    (0.75, 0.375)
    >>> model.member_predict(X).shape
    (3, 250)
    """

    def __init__(
        self,
        n_estimators: int = 5,
        *,
        hidden_layer_sizes: int | tuple[int, ...] = (20,),
        strength: float | str | None = None,
        lam: float | None = None,
        lam_end: float | None = None,
        rise_from: float = 0.5,
        penalty: str = "ncl",
        loss: str = "squared",
        output: str = "auto",
        activation: str = "tanh",
        init: str = "nguyen-widrow",
        solver: str = "adam",
        learning_rate: float = 0.01,
        alpha: float = 0.01,
        max_epochs: int = 200,
        batch_size: int | str | None = "auto",
        scale: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int | None = 20,
        tol: float = 1e-4,
        class_weight: ClassWeight = None,
        record: bool | int = False,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_estimators,
            hidden_layer_sizes=hidden_layer_sizes,
            strength=strength,
            lam=lam,
            penalty=penalty,
            activation=activation,
            init=init,
            solver=solver,
            learning_rate=learning_rate,
            alpha=alpha,
            max_epochs=max_epochs,
            batch_size=batch_size,
            scale=scale,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            patience=patience,
            tol=tol,
            record=record,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.lam_end = lam_end
        self.rise_from = rise_from
        self.loss = loss
        self.output = output
        self.class_weight = class_weight

    def partial_fit(
        self,
        X: DataLike,
        y: Target,
        classes: ArrayLike | None = None,
        sample_weight: Weights = None,
    ) -> Self:
        """Train on some rows for one epoch, going on from where the networks are.

        The first call draws the networks and learns the scale of the inputs, from its rows
        alone: give it rows that are typical. ``early_stopping`` and ``record`` do not apply.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All labels there will ever be. Needed at the first call only.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if not hasattr(self, "networks_"):
            if classes is None:
                raise ValueError(
                    "The first call of partial_fit needs classes=, all labels that may come."
                )
            classes = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes={np.unique(classes).tolist()} differ from those of the first call, "
                f"{self.classes_.tolist()}."
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all data at once: give partial_fit a dict of "
                "weights instead."
            )
        return self._partial_fit(X, y, sample_weight, classes=classes)

    def member_decision_function(self, X: DataLike) -> NDArray:
        """Return what the output units of every member say.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples, n_classes)
        """
        return self._member_scores(X)

    def _proba(self, scores):
        """Return the distributions nearest to scores; the order of classes stays."""
        # The squared error has no other natural rule; what is a distribution stays one.
        proba = project_to_simplex(scores)
        return proba / proba.sum(axis=-1, keepdims=True)

    def _loss_name(self):
        return self.loss

    def _output_name(self):
        if self.output != "auto":
            return self.output
        return "softmax" if self.loss == "cross-entropy" else "linear"

    def _check_options(self):
        check_choice(self.loss, "loss", LOSSES)
        check_choice(self.output, "output", ("auto", "linear", "sigmoid", "softmax"))
        if self.loss == "cross-entropy" and self._output_name() == "linear":
            raise ValueError(
                "loss='cross-entropy' needs outputs that are probabilities, but output='linear': "
                "leave output='auto', or choose 'softmax' or 'sigmoid'."
            )
        check_number(self.rise_from, "rise_from", low=0, high=1)
        if self.lam_end is not None:
            check_number(self.lam_end, "lam_end", low=0, hint=", or None")
        super()._check_options()

    def _schedule(self, trainer, s, lam):
        if self.lam_end is None or self.n_estimators == 1:
            return None
        last, end = self._found().resolve(None, self.lam_end, self.n_estimators, 0.0)
        self._warn_beyond(last, end)
        begin = trainer.n_epochs + round(self.rise_from * self.max_epochs)
        epochs = max(1, trainer.n_epochs + self.max_epochs - begin)

        def coupling(epoch):
            share = min(max(epoch + 1 - begin, 0) / epochs, 1.0)
            return self._coupling(s + share * (last - s), lam + share * (end - lam))

        return coupling

    def _read_targets(self, y, weight, *, reset, classes=None):
        y = read_labels(self, y)
        if reset:
            self.classes_, _ = encode_target(self, y if classes is None else classes)
        codes = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        strange = self.classes_[codes] != y
        if strange.any():
            raise ValueError(
                f"y holds the label {np.asarray(y)[strange].tolist()[0]!r}, which is not among "
                f"the classes {self.classes_.tolist()}."
            )
        if self.class_weight is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            weight = by_class if weight is None else weight * by_class
        return np.eye(len(self.classes_))[codes], codes, weight


class NegativeCorrelationRegressor(BaseJointNetworks, BaseNetworkRegressor):
    """Predict numbers by the mean of networks that are trained together.

    Negative correlation learning: the error of every network has a term that pays it for
    differing from the ensemble, so that errors cancel in the mean. ``strength`` sets how much:
    from networks trained alone to one joint network, of more and more complex fits. Outputs are
    linear and the loss is squared. Several targets at once are fine: predictions, those of
    members too, are then of shape (..., n_samples, n_outputs), as y was.

    Parameters
    ----------
    n_estimators, hidden_layer_sizes, strength, lam, penalty, activation, init, solver, \
learning_rate, alpha, max_epochs, batch_size, early_stopping, validation_fraction, patience, tol, \
record, warm_start, progress, random_state
        As in :class:`NegativeCorrelationClassifier`. ``strength=None`` is 0.5, the best on average
        over four problems (see the documentation).
    scale : bool, default=True
        Bring inputs and targets to mean 0 and standard deviation 1 inside.

    Attributes
    ----------
    strength_, lam_, lam_star_, lam_upper_, networks_, n_epochs_, best_epoch_, loss_, \
stop_reason_, dynamics_, collusion_, strength_path_
        As in :class:`NegativeCorrelationClassifier`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    NegativeCorrelationClassifier : For labels, with formulas, warnings, errors and references.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from counterpoint.networks import NegativeCorrelationRegressor
    >>> X, y = make_friedman1(200, random_state=0)
    >>> model = NegativeCorrelationRegressor(4, strength=0.75, random_state=0).fit(X, y)
    >>> model.member_predict(X).shape
    (4, 200)
    """

    def partial_fit(self, X: DataLike, y: Target, sample_weight: Weights = None) -> Self:
        """Train on some rows for one epoch, going on from where the networks are.

        The first call draws the networks and learns the scale of inputs and targets, from its
        rows alone: give it rows that are typical. ``early_stopping`` and ``record`` do not apply.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _read_targets(self, y, weight, *, reset):
        if reset:
            self._flat = y.ndim == 1
        return y.reshape(len(y), -1), None, weight
