"""Overproduce and select: the classifier that uses all of the above."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import assert_all_finite, compute_sample_weight
from sklearn.utils.validation import check_consistent_length

from counterpoint._asking import once
from counterpoint._members import Answers, Member
from counterpoint._outputs import MemberOutputs
from counterpoint._typing import ClassWeight, Pool, Seed
from counterpoint._validation import check_number
from counterpoint.auto.choice import QUICK_STEPS
from counterpoint.auto.engine import OverproduceSelect, rows_of
from counterpoint.auto.fold_mean import FoldMeanClassifier
from counterpoint.auto.metric import LEAST, class_metric, labels_of
from counterpoint.auto.pool import default_pool
from counterpoint.base import BaseEnsembleClassifier, encode_target, need_target
from counterpoint.combiners import member_contributions
from counterpoint.combiners.combiner import mean_loss
from counterpoint.combiners.tempered import temper, tempers
from counterpoint.selection import select_forward


class OverproduceSelectClassifier(OverproduceSelect, BaseEnsembleClassifier):
    """Build a wide pool, then keep and weigh the members that are best together.

    Boosting, forests, networks, kernel machines, linear models and neighbours are asked about
    rows they were not trained on (cross-fitting). Their probabilities are raised to a power each
    that makes them fit the truth best [2]_. The way to combine them is then chosen by
    cross-validation: the best one alone, the mean of the best third, greedy selection with
    replacement [1]_, averaged over random halves of the rows, stacking, or a blend of the last two
    (of fewer than 300 rows, the last three), which is taken unless another is better by more than a
    standard error. Members that got weight are fitted on all rows. The
    score reported, ``cv_score_``, is of the whole procedure, the choice included, on rows it did
    not see. If it is no better there than the best of a boosted tree, logistic regression, a
    pruned tree and the majority class, that one is what you get, and a warning says so.

    Parameters
    ----------
    pool : list or "default+", default=None
        What to try: estimators, (name, estimator) pairs, Candidate objects, or names of the default
        pool.
        None is :func:`default_pool`, by the size of the data, until more members do not lower the
        loss; with "default+" LightGBM, XGBoost, CatBoost, RealMLP (of pytabkit) and TabPFN join it,
        where they are installed, the last one with its weights and for tables it was made for.
    metric : str, array-like or scorer, default="log-loss"
        What the way to combine is chosen by, and what labels are made for: "log-loss", "brier",
        "error", "balanced-error", "g-mean", "auc", "f1" (of the second of two classes; else the
        mean over classes), a matrix of costs (a row for each true class, a column for each
        answer), or a scorer of scikit-learn or its name. Members are weighed by log-loss in any
        case, so ``predict_proba`` stays calibrated; ``predict`` answers with the label that suits
        the metric, which for rare classes is often not the most probable one.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, in learning and in judging. Probabilities are then those of the
        weighted data; for labels that suit rare classes and probabilities that stay what they are,
        take ``metric="balanced-error"`` or costs instead.
    diversity : float, default=0.0
        What greedy selection pays for disagreement beyond what it is worth to the loss of the
        mean; -1 pays nothing. See :class:`~counterpoint.selection.DiverseLoss`.
    cv : int, splitter or iterable, default=5
        Folds of cross-fitting; a number is of stratified folds, fewer where a class is small,
        and of whole groups if ``fit`` is given ``groups``. A splitter may leave rows out, as
        TimeSeriesSplit does, but must not ask about one twice. Where a frame has dates and folds
        are by lot, a warning says so.
    time_limit : float or None, default=None
        Seconds for all of it, the last fits included. Members are tried in the order of what they
        brought on many tables: a boosted tree, a linear model and a forest come first. Where the
        table is large for the time, up to 20,000 rows are held out once instead of folds; members
        begin on few of the others, and those that carry the ensemble learn from more and more of
        them. What a fit will take is foretold from fits on fewer rows, and one that would take
        too long is left out. Only the very first one is fitted in any case.
    n_jobs : int, default=None
        Folds fitted at a time.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal. Ctrl-C ends the trying and goes on with what
        there is.
    random_state : int, RandomState instance or None, default=None
        Seeds folds, members and selection.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    leaderboard_ : DataFrame
        A row per member tried: "member", "family", "error" and "log_loss" alone on rows it did
        not see (its probabilities raised to its power), "weight", "adds" (how much the ensemble's
        log-loss rises when it falls silent; other weights stay as they are),
        "disagrees" (share of rows on which it differs from the ensemble), "seconds".
    combiners_tried_ : DataFrame
        A row per way to combine: "combiner", its name, "loss" by the metric, "log_loss" and
        "error".
    combiner_name_ : str
        The way chosen.
    decision_ : ndarray of shape (n_classes, n_classes)
        Labels are the argmax of ``predict_proba(X) @ decision_``.
    combiner_ : TemperedCombiner
        The way chosen, fitted: what makes one answer of those of the members kept.
    pool_ : list of (name, estimator) pairs
        The members kept, fitted on all rows.
    estimator_weights_ : ndarray of shape (n_members,)
        Of the members kept; for stacking, by the size of their coefficients; for the blend, the
        mean.
    stop_reason_ : {"complete", "no gain", "time_limit", "interrupted", "enough"}
        Why no more members were tried.
    failed_ : list of str
        Members that could not be trained, and why.
    cv_score_ : float
        Accuracy to be expected on new rows.
    cv_log_loss_ : float
        Log-loss to be expected.
    cv_loss_ : float
        Loss to be expected, by the metric.
    by_lot_ : ByLot or None
        With groups or a splitter: the error of the best of some quick members on the rows held out,
        "here", and what as many rows drawn by lot would have promised, "by_lot".
    outputs_ : MemberOutputs
        What all members tried said about rows they had not seen; with a time limit and a large
        table, some of the rows.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    A logistic regression, part of the default rule, adds up one row in another order than many:
    what a row gets may depend on the rows asked with it in the last digits.

    References
    ----------
    .. [1] R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, "Ensemble selection from
       libraries of models", ICML 2004.
    .. [2] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, "On calibration of modern neural
       networks", ICML 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.auto import OverproduceSelectClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> pool = [("bayes", GaussianNB()), ("stump", DecisionTreeClassifier(max_depth=1))]
    >>> model = OverproduceSelectClassifier(pool, random_state=0).fit(X, y)
    >>> print(model.pool_[0][0])
    bayes
    """

    def __init__(
        self,
        pool: Pool = None,
        *,
        metric: str = "log-loss",
        class_weight: ClassWeight = None,
        diversity: float = 0.0,
        cv: Any = 5,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.class_weight = class_weight
        super().__init__(
            pool, metric=metric, diversity=diversity, cv=cv, time_limit=time_limit,
            n_jobs=n_jobs, progress=progress, random_state=random_state,
        )  # fmt: skip

    _loss_column = "log_loss"

    def _read(self, X, y):
        self._check_given()
        need_target(self, y)
        X = self._numbers_of(X)
        self.classes_, codes = encode_target(self, y)
        check_consistent_length(X, codes)
        if len(self.classes_) == len(codes):
            raise ValueError(
                f"y holds {len(codes)} classes in as many rows: nothing can be learnt of a class "
                "from rows of others. Merge classes; numbers are for OverproduceSelectRegressor."
            )
        return X, codes

    def _weights(self, y, sample_weight):
        if self.class_weight is None:
            return sample_weight
        own = self.class_weight
        if isinstance(own, dict):
            names = {label: code for code, label in enumerate(self.classes_.tolist())}
            strange = [label for label in own if label not in names]
            if strange:
                raise ValueError(
                    f"class_weight names {strange[0]!r}, which is not among the classes "
                    f"{self.classes_.tolist()[:10]}."
                )
            for label, weight in own.items():
                check_number(weight, f"class_weight[{label!r}]", low=0)
            own = {names[label]: weight for label, weight in own.items()}
        weight = compute_sample_weight(own, y)
        return weight if sample_weight is None else weight * sample_weight

    def _default_pool(self, X):
        return default_pool(len(X), X.shape[1], len(self.classes_))

    def _metric(self):
        return class_metric(self.metric, self.classes_)

    def _task(self):
        return ClassTask(self.classes_)

    def _tell(self, choice, metric, outputs, rule, keep, families, seconds):
        """Set what is known of the choice."""
        self.decision_ = choice.decision
        weight = outputs.sample_weight
        self.cv_loss_ = metric.loss(choice.honest, outputs.y, weight, choice.decision)
        told = labels_of(choice.honest, choice.decision)
        self.cv_score_ = float(np.average(told == outputs.y, weights=weight))
        self.cv_log_loss_ = mean_loss(choice.honest, outputs, "log-loss", LEAST)
        tempered = choice.rule.temper(outputs)
        self.leaderboard_ = _leaderboard(outputs, tempered, rule, keep, families, seconds)

    # -- asking --------------------------------------------------------------------------------

    def _member_answers(self, X):
        return once(self, self._check_X(X), self._ask_pool)

    def _ask_pool(self, X):
        members = [Member(model, None, name) for name, model in self.pool_]
        task = ClassTask(self.classes_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            proba = np.stack([task.ask(member, X) for member in members])
        votes = proba.argmax(axis=2)
        return Answers(self.classes_, [m.name for m in members], votes, proba,
                       self.estimator_weights_, combiner=self.combiner_)  # fmt: skip

    _ask = _member_answers

    def _members_have_proba(self):
        return True

    def _combined(self, X):
        return self.combiner_.predict_proba(self.member_outputs(X))

    def _winners(self, X):
        return labels_of(self.predict_proba(X), self.decision_)

    # -- words ---------------------------------------------------------------------------------

    def _expected(self):
        return f"error {1 - self.cv_score_:.3f}, log-loss {self.cv_log_loss_:.3f}"

    def _alone(self, row):
        return f"error {row['error']:.3f}, log-loss {row['log_loss']:.3f}"

    def _off(self, loss):
        return f"errs on {loss:.1%}"

    def _worth(self, row):
        return (
            f"alone it errs on {row['error']:.1%} of rows; it differs from the ensemble on "
            f"{row['disagrees']:.1%}; without it log-loss would change by {row['adds']:+.4f}."
        )


class ClassTask:
    """How members are asked about classes, and what they come to."""

    def __init__(self, classes):
        self.classes = classes
        self.n_outputs = len(classes)

    def ask(self, member, X):
        """Return the probabilities of a member; 0 for a class it never saw."""
        proba = np.zeros((len(X), self.n_outputs))
        proba[:, member.estimator.classes_] = member.estimator.predict_proba(X)
        assert_all_finite(proba, input_name="its probabilities")
        return proba

    def outputs(self, answers, rows, y, sample_weight, names):
        """Return what members said about rows, with the truth."""
        return MemberOutputs(
            proba=answers, y=self.classes[y[rows]], classes=self.classes,
            sample_weight=rows_of(sample_weight, rows), names=names,
        )  # fmt: skip

    def mean_of(self, models):
        """Return the models of folds as one."""
        return FoldMeanClassifier(models, np.arange(self.n_outputs))

    def carry(self, answers, rows, y, sample_weight):
        """Return what each member would count in a mean, (n_members,), and the mean's log-loss."""
        names = [str(k) for k in range(len(answers))]
        outputs = self.outputs(answers, rows, y, sample_weight, names)
        outputs = temper(outputs, tempers(outputs))
        trace = select_forward(outputs, "log-loss", n_members=QUICK_STEPS, replace=True, tol=1e-6)
        weights = np.zeros(len(answers))
        weights[trace.selected] = trace.weights
        return weights, float(trace.values[trace.best])


def _leaderboard(outputs, tempered, rule, keep, families, seconds):
    kept = member_contributions(outputs.take(keep), rule, loss="log-loss")
    answer = rule.combine(outputs.take(keep)).argmax(axis=1)
    weight, adds = np.zeros(outputs.n_members), np.zeros(outputs.n_members)
    weight[keep], adds[keep] = kept["weight"], kept["adds"].fillna(0.0)
    frame = pd.DataFrame(
        {
            "member": outputs.names,
            "family": families,
            "error": [mean_loss(p, outputs) for p in outputs.proba],
            "log_loss": [mean_loss(p, outputs, "log-loss", LEAST) for p in tempered.proba],
            "weight": weight,
            "adds": adds,
            "disagrees": [
                np.average(votes != answer, weights=outputs.sample_weight)
                for votes in outputs.votes
            ],
            "seconds": seconds,
        }
    )
    order = ["weight", "log_loss"]
    return frame.sort_values(order, ascending=[False, True]).reset_index(drop=True)
