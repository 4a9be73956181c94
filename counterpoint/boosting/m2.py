"""AdaBoost.M2, which weighs every wrong label of every sample."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from counterpoint._kernels.threads import threads_for
from counterpoint._typing import ClassWeight, Estimator, Seed
from counterpoint._validation import check_choice
from counterpoint.boosting.rules import NO_ERROR, Rule, Verdict
from counterpoint.boosting.voting import ShareBoosting
from counterpoint.trees.ensemble import predict_trees

# A pseudo-loss this near to 1/2 is 1/2: weights are rounded to about 1e-16.
_ROUNDING = 1e-12


class PseudoLossRule(Rule):
    """Mislabel weights and the pseudo-loss."""

    def __init__(self, soft):
        self.soft = soft  # members say probabilities; else 1 for one class and 0 for the others

    def start(self, y, n_classes, weight):
        """Give each wrong label of a sample the same share of the sample's weight."""
        self.rows = np.arange(len(y))
        labels = np.repeat(weight[:, None] / (n_classes - 1.0), n_classes, axis=1)
        labels[self.rows, y] = 0.0
        super().start(y, n_classes, labels)  # (n_samples, n_classes), adds up to 1
        self.score = np.zeros_like(labels)
        self.sides, self.ones = np.eye(n_classes), np.ones(n_classes)

    def request(self):
        """Train on D, the weight of a sample's wrong labels (Meddouri et al. 2012, eq. 6-7)."""
        self.sample = self.weight @ self.ones  # quicker than a sum over a short axis
        return self.sample, None

    def _outputs(self, answer):
        return answer.proba if self.soft else self.sides[answer.votes]

    def judge(self, answer):
        """Weigh a new member by its pseudo-loss (Meddouri et al. 2012, eq. 8-9)."""
        p = self._outputs(answer)
        # D(i) q(i, y) is the mislabel weight itself.
        doubt = self.sample @ (1.0 - p[self.rows, self.y])
        loss = 0.5 * float(doubt + np.vdot(self.weight, p))
        notes = {
            "pseudo_loss": loss,
            "error": float(np.sum(self.sample, where=answer.votes != self.y)),
        }
        if loss <= NO_ERROR:
            return Verdict(np.inf, "perfect", notes)
        alpha = float(np.log((1.0 - loss) / loss)) if loss < 1.0 else -np.inf
        return Verdict(alpha, "" if loss < 0.5 - _ROUNDING else "chance", notes)

    def update(self, answer, verdict):
        """Multiply the weight of label y of sample i by beta^(0.5 (1 + p(i, y_i) - p(i, y)))."""
        p = self._outputs(answer)
        truth = p[self.rows, self.y][:, None]
        self.weight *= np.exp(-0.5 * verdict.alpha * (1.0 + truth - p))
        z = self.weight.sum()
        self.weight /= z
        self.score += verdict.alpha * p
        wrong = self.score.argmax(axis=1) != self.y
        return {"z": float(z), "train_error": float(np.mean(wrong))}


class AdaBoostM2Classifier(ShareBoosting):
    """AdaBoost.M2: weights on wrong labels, so that members learn which classes are mixed up.

    A weight w(i, y) for each sample i and each wrong label y says how hard it is to tell y from
    the truth. A member says p(i, y) in [0, 1] for all labels and is judged by its pseudo-loss:
    half the weighted mean of 1 - p(i, y_i) + p(i, y). That of a guess is one half however many
    classes there are, so that simple members go further than with AdaBoost.M1. With beta =
    loss / (1 - loss), w(i, y) is multiplied by beta^((1 + p(i, y_i) - p(i, y)) / 2), and the
    member's say is log(1 / beta). Members are trained on the weight of all wrong labels
    of a sample.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The base learner; None is ``PrunedTreeClassifier(grower="hist")``. With
        ``NominalConceptClassifier`` this is Boosting of Nominal Concepts [2]_: frames reach
        the learner as they are.
    output : {"auto", "soft", "hard"}, default="auto"
        What members say: "soft" their ``predict_proba``, "hard" 1 for the class they predict and
        0 for the others. "auto" is soft where the learner has ``predict_proba``.
    on_failure : {"stop", "restart"}, default="stop"
        What to do with a member of pseudo-loss 0, that is below one in a million ("perfect"), or
        one half or more ("chance"). "stop": end training; a perfect member is kept, with the say
        of log(1e6). "restart": drop it, set the weights back and go on, up to ten
        failures in a row, two if nothing is random. If no member succeeds, the last is kept alone.
    n_estimators, resample, class_weight, calibrate, stopping, warm_start, progress, random_state
        As in ``AdaBoostClassifier``.

    Attributes
    ----------
    estimators_, classes_
        As in ``AdaBoostClassifier``.
    estimator_weights_ : ndarray of shape (n_members,)
        log(1 / beta) of each.
    history_ : DataFrame
        One row per member: weight ``alpha``, ``pseudo_loss``, weighted ``error``, the factor
        ``z`` by which all weights shrank, ``train_error``, and errors on ``eval_set``.
    stop_reason_ : str
        "complete", "perfect", "chance", "interrupted", or what a stopping rule said.

    Notes
    -----
    The error on the training samples, weighted as they began, is at most (K - 1) times
    the product of 2 sqrt(loss (1 - loss)) over the members ([3]_, theorem 11), unless training
    restarted. For two classes M2 is AdaBoost: the pseudo-loss of votes is the weighted error, and
    with probabilities members and weights are those of ``AdaBoostClassifier(confidence=True)``.

    References
    ----------
    .. [1] Freund and Schapire, "Experiments with a New Boosting Algorithm", ICML 1996.
    .. [2] Meddouri, Khoufi and Maddouri, "Diversity Analysis on Boosting Nominal Concepts",
       PAKDD 2012, section 2.2, equations 4-10. The update of the weights is missing there, and
       equation 10 means p(x, y) of the candidate class.
    .. [3] Freund and Schapire, "A Decision-Theoretic Generalization of On-Line Learning and an
       Application to Boosting", JCSS 55, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import AdaBoostM2Classifier
    >>> from counterpoint.trees import HistTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> boosted = AdaBoostM2Classifier(HistTreeClassifier(max_depth=1), n_estimators=20).fit(X, y)
    >>> bool((boosted.history_["pseudo_loss"] < 0.5).all()), round(boosted.score(X, y), 2)
    (True, 0.97)
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 50,
        output: str = "auto",
        resample: bool = False,
        on_failure: str = "stop",
        class_weight: ClassWeight = None,
        calibrate: bool = True,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            resample=resample,
            on_failure=on_failure,
            class_weight=class_weight,
            calibrate=calibrate,
            stopping=stopping,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.output = output

    def _check_options(self):
        super()._check_options()
        check_choice(self.output, "output", ("auto", "soft", "hard"))
        if self.output == "soft" and not hasattr(self._base(), "predict_proba"):
            raise ValueError(
                f"output='soft', but {type(self._base()).__name__} has no predict_proba: wrap it "
                "in CalibratedClassifierCV, or set output='hard'."
            )

    def _needs_proba(self):
        if self.output == "auto":
            return hasattr(self._base(), "predict_proba")
        return self.output == "soft"

    def make_rule(self) -> Rule:
        """Return the rule of mislabel weights."""
        return PseudoLossRule(self._needs_proba())

    def _scores(self, X):
        check_is_fitted(self)
        trees = self._stacked
        if trees is None or not self._needs_proba():
            return super()._scores(X)
        # One kernel for all members, which adds up shares instead of class weights.
        share = trees.value / trees.value.sum(axis=1, keepdims=True)
        X = self._check_numbers(X)
        say = self.estimator_weights_ / self.estimator_weights_.sum()
        with threads_for(X.shape[0] * trees.depths.sum()):
            return predict_trees(replace(trees, value=share), X, kind="value_sum", weights=say)
