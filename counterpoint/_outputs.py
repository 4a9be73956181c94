"""Member outputs: what the members of an ensemble said, as plain arrays.

Everything that measures, combines or selects members reads this, so it works on any ensemble.
"""

from functools import cached_property

import numpy as np
from sklearn.utils.validation import check_memory

from counterpoint import _crossfit
from counterpoint._arrays import (
    as_classes,
    as_labels,
    check_axes,
    check_correct,
    check_member_weight,
    check_members_array,
    check_names,
    check_proba,
    check_sample_weight,
    code_type,
    encode_labels,
)
from counterpoint._ballot import exact_weights, vote_shares
from counterpoint._counts import OutputCounts, PairCounts, pack, pack_equal
from counterpoint._predictions import MemberPredictions
from counterpoint.exceptions import MemberError

__all__ = ["MemberOutputs", "OutputCounts", "PairCounts", "as_outputs"]


class MemberOutputs:
    """What the members of an ensemble said about some samples, and the truth.

    Parameters
    ----------
    votes : array-like of shape (n_members, n_samples), default=None
        The label each member gives each sample. None: the most probable class of ``proba``.
    y : array-like of shape (n_samples,), default=None
        The truth. Without it only what needs no truth can be computed.
    proba : array-like of shape (n_members, n_samples, n_classes), default=None
        Class probabilities, classes in the order of ``classes``.
    classes : array-like of shape (n_classes,), default=None
        All labels there are. None: the labels in ``y`` (in ``votes`` without ``y``); a member
        that says anything else is then an error.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts.
    weights : array-like of shape (n_members,), default=None
        Say of each member in the ensemble's vote. None: equal.
    names : list of str, default=None
        What to call the members.
    combiner : counterpoint.combiners.Combiner, default=None
        The fitted rule by which the ensemble makes one answer of theirs. None: the (weighted)
        vote, or not known; :func:`counterpoint.combiners.combiner_of` finds it out.

    Attributes
    ----------
    votes : ndarray of shape (n_members, n_samples)
        Votes as positions in ``classes``.
    y : ndarray of shape (n_samples,)
        The truth as positions in ``classes``.
    n_members, n_samples, n_classes : int

    See Also
    --------
    counterpoint.diversity.profile : All measures of these outputs at once.

    Examples
    --------
    From any fitted ensemble:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from counterpoint import MemberOutputs
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BaggingClassifier(n_estimators=5, random_state=0).fit(X[::2], y[::2])
    >>> outputs = MemberOutputs.from_estimator(forest, X[1::2], y[1::2])
    >>> outputs
    MemberOutputs(5 members, 75 samples, 3 classes)
    >>> outputs.correct.shape
    (5, 75)

    From labels you already have, one row a member:

    >>> MemberOutputs([["a", "b", "a"], ["b", "b", "a"]], ["a", "b", "b"]).errors
    array([0.33333333, 0.66666667])
    """

    def __init__(
        self,
        votes=None,
        y=None,
        *,
        proba=None,
        classes=None,
        sample_weight=None,
        weights=None,
        names=None,
        combiner=None,
    ):
        if votes is None and proba is None:
            raise ValueError(
                "Pass votes (labels, shape (n_members, n_samples)) or proba (n_members, "
                "n_samples, n_classes). For right/wrong flags use MemberOutputs.from_correct."
            )
        y = None if y is None else as_labels(y, "y")
        if y is not None and y.ndim != 1:
            raise ValueError(f"y has shape {y.shape}, expected (n_samples,).")
        n_samples = None if y is None else len(y)
        if proba is not None:
            proba = check_proba(proba, n_samples=n_samples)
        if votes is not None:
            votes = check_members_array(
                as_labels(votes, "votes"), name="votes", n_samples=n_samples
            )
        if classes is None:
            source = y if y is not None else votes
            classes = np.arange(proba.shape[2]) if source is None else np.unique(source)
        else:
            classes = as_classes(classes)
        if proba is not None and proba.shape[2] != len(classes):
            raise ValueError(
                f"proba has {proba.shape[2]} classes on its last axis, but there are "
                f"{len(classes)}: {classes.tolist()}. Pass classes= with all labels, in order, if "
                "some do not occur in y."
            )
        if votes is None:
            votes = proba.argmax(axis=2).astype(code_type(len(classes)))
        else:
            votes = encode_labels(votes, classes, "votes", y is not None)
        if proba is not None and proba.shape[:2] != votes.shape:
            raise ValueError(
                f"votes are {votes.shape} and proba {proba.shape[:2]} (n_members, n_samples): "
                "they must be of the same members and samples."
            )
        self._set(
            votes=votes,
            y=None if y is None else encode_labels(y, classes, "y", True),
            proba=proba,
            classes=classes,
            sample_weight=sample_weight,
            weights=weights,
            names=names,
            combiner=combiner,
        )

    def _set(self, *, votes, y=None, proba=None, classes=None, sample_weight=None, weights=None,
             names=None, combiner=None, correct=None):  # fmt: skip
        # The one place where a finished object is put together; arrays are checked and encoded.
        shape = (votes if votes is not None else correct).shape
        self.votes, self.y, self.proba, self.classes = votes, y, proba, classes
        self.combiner = combiner
        self.n_members, self.n_samples = shape
        self.sample_weight = check_sample_weight(sample_weight, self.n_samples)
        self.weights = check_member_weight(weights, self.n_members)
        self.names = [f"member {k}" for k in range(shape[0])]
        if names is not None:
            self.names = check_names(names, self.n_members, "member")
        if not (combiner is None or hasattr(combiner, "combine")):
            raise TypeError(f"combiner={combiner!r} has no combine: give a Combiner, or None.")
        if correct is not None:
            self.__dict__["correct"] = correct

    @classmethod
    def _build(cls, **parts):
        made = cls.__new__(cls)
        made._set(**parts)
        return made

    @classmethod
    def from_correct(cls, correct, *, sample_weight=None, weights=None, names=None):
        """Build from right/wrong flags alone.

        Measures that need the labels themselves (label kappa, for one) then have no answer,
        and a vote is right when more than half of the members are, by their weights: exact for
        two classes, a lower limit for more. A share within 1e-12 of a half is a half.

        Parameters
        ----------
        correct : array-like of shape (n_members, n_samples)
            True or 1 where the member is right.
        sample_weight, weights, names
            As for the class.

        Returns
        -------
        MemberOutputs
            With ``votes`` and ``y`` None.
        """
        correct = check_correct(correct)
        return cls._build(
            votes=None, correct=correct, sample_weight=sample_weight, weights=weights, names=names
        )

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y=None,
        *,
        columns=None,
        cv=None,
        sample_weight=None,
        n_jobs=None,
        memory=None,
    ):
        """Ask the members of an ensemble, each once.

        Parameters
        ----------
        estimator : ensemble, pipeline, search, list or dict
            A fitted scikit-learn ensemble (bagging, forests, AdaBoost, gradient boosting,
            voting, stacking, calibration folds, one-vs-rest, output codes), a pipeline or
            search around one, any object with ``estimators_`` or ``member_predict``, or a
            list or dict of estimators, (name, estimator) pairs included.
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            What to ask about.
        y : array-like of shape (n_samples,), default=None
            The truth.
        columns : list, default=None
            For a list of estimators: the columns each one sees, by name, number or slice;
            None for all.
        cv : int, splitter or iterable, default=None
            What is not fitted yet is then fitted on each training part and asked about the
            part left out; what is fitted is asked as it is. Needs ``y``.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts in the measures.
        n_jobs : int, default=None
            Members asked at once.
        memory : str or joblib.Memory, default=None
            Keep the answers here; the same question later costs a look-up.

        Returns
        -------
        MemberOutputs

        Notes
        -----
        A round of gradient boosting votes for the class whose score it raises most, the first
        round together with the constant the sum starts from. Members of one-vs-rest and output
        codes solve two-class tasks of their own: for them there is ``correct`` but no ``votes``.
        """
        answers = check_memory(memory).cache(_crossfit.answers, ignore=["n_jobs"])(
            estimator, X, y if cv is not None else None, columns, cv, None, n_jobs
        )
        return cls._from_answers(answers, y, sample_weight)

    @classmethod
    def _from_answers(cls, answers, y=None, sample_weight=None):
        classes = answers.classes
        if y is not None:
            y = as_labels(y, "y")
            check_axes(y, "y", ("n_samples",))
            # The ensemble may not know every label of the data it is tried on.
            known = np.isin(y, classes)
            if not known.all():
                raise ValueError(
                    f"y has the label {y[~known][0].item()!r}, which the ensemble never saw: it "
                    f"knows {classes.tolist()}. Is y the right column, coded as it was in fit?"
                )
            y = encode_labels(y, classes, "y", True)
        if answers.bits is None:
            if y is not None:
                check_members_array(answers.votes, name="the members' output", n_samples=len(y))
            return cls._build(
                votes=answers.votes, y=y, proba=answers.proba, classes=classes,
                sample_weight=sample_weight, weights=answers.weights, names=answers.names,
                combiner=answers.combiner,
            )  # fmt: skip
        if y is None:
            raise MemberError("Members that solve tasks of their own can only be right about a y.")
        correct = answers.bits == answers.code_book[:, y]
        return cls.from_correct(correct, sample_weight=sample_weight, names=answers.names)

    def __repr__(self):
        classes = "right/wrong only" if self.votes is None else f"{self.n_classes} classes"
        return f"MemberOutputs({self.n_members} members, {self.n_samples} samples, {classes})"

    def __len__(self):
        return self.n_members

    @property
    def weighted(self):
        """Whether samples count by weights."""
        return self.sample_weight is not None

    @property
    def n_classes(self):
        """Number of classes; None when only right and wrong are known."""
        return None if self.classes is None else len(self.classes)

    @cached_property
    def correct(self):
        """Whether each member is right, boolean (n_members, n_samples)."""
        self.need_truth()
        return self.votes == self.y

    @cached_property
    def packed(self):
        """``correct`` as bits, 64 samples a word; rows padded to a multiple of four."""
        if self.votes is None or "correct" in self.__dict__:
            return pack(self.correct)
        self.need_truth()
        # Without ever holding one byte a sample and member.
        return pack_equal(self.votes, self.y)

    @cached_property
    def counts(self):
        """Who was right together: the ``PairCounts`` of these outputs."""
        if self.sample_weight is not None:
            return PairCounts.from_correct(self.correct, sample_weight=self.sample_weight)
        return PairCounts.from_words(self.packed, self.n_members, self.n_samples)

    @property
    def errors(self):
        """Error of each member, (n_members,)."""
        if self.weighted or "counts" in self.__dict__:
            return 1.0 - self.counts.right / self.counts.total
        # Pairs are not counted for this, nor is more than a member's flags held at a time.
        known = self.votes is None or "correct" in self.__dict__
        if not known:
            self.need_truth()
        flags = self.correct if known else (votes == self.y for votes in self.votes)
        return 1.0 - np.array([np.count_nonzero(hits) for hits in flags]) / self.n_samples

    @property
    def say(self):
        """Say of each member in the vote, (n_members,): all ones, or ``weights``.

        Cut to fifteen digits of their total, so that their sums are exact.
        """
        # Ones, not 1/T: sums of ones are exact, so that a tie is a tie.
        return np.ones(self.n_members) if self.weights is None else exact_weights(self.weights)

    @cached_property
    def tally(self):
        """Share of the vote each class gets, (n_samples, n_classes).

        With weights, shares within 1e-12 of the largest are equal to it: a tie, whatever rounding
        made of the weights.
        """
        self.need_votes("The tally")
        return vote_shares(self.votes, self.n_classes, self.weights)

    @property
    def majority(self):
        """The class with most votes, (n_samples,); a tie goes to the first class."""
        return self.tally.argmax(axis=1)

    @property
    def answer(self):
        """What the ensemble says, (n_samples,): by its ``combiner``, or by the weighted vote."""
        if self.combiner is None:
            return self.majority
        return self.combiner.combine(self).argmax(axis=1)

    def take(self, members):
        """Keep some members, in the order given: positions, a slice or a boolean mask."""
        try:
            at = np.arange(self.n_members)[members]
        except (IndexError, ValueError) as error:
            raise ValueError(
                f"take needs positions of members, from 0 to {self.n_members - 1}, a slice or a "
                f"mask of {self.n_members}; got {members!r}."
            ) from error
        if at.ndim != 1 or len(at) == 0:
            raise ValueError(
                f"take needs at least one member of {self.n_members}; got {members!r}."
            )
        return self._replace(
            votes=None if self.votes is None else self.votes[at],
            proba=None if self.proba is None else self.proba[at],
            weights=None if self.weights is None else self.weights[at],
            names=[self.names[k] for k in at],
            correct=self.correct[at] if self.votes is None else None,
            combiner=self.combiner if np.array_equal(at, np.arange(self.n_members)) else None,
        )

    def take_rows(self, rows):
        """Keep some samples, in the order given: positions, a slice or a boolean mask."""
        try:
            rows = np.arange(self.n_samples)[rows].reshape(-1)
        except (IndexError, ValueError) as error:
            raise ValueError(f"take_rows needs positions of samples; got {rows!r}.") from error
        return self._replace(
            votes=None if self.votes is None else self.votes[:, rows],
            y=None if self.y is None else self.y[rows],
            proba=None if self.proba is None else self.proba[:, rows],
            sample_weight=None if self.sample_weight is None else self.sample_weight[rows],
            correct=self.correct[:, rows] if self.votes is None else None,
        )

    def over(self, classes):
        """Return the same outputs over more classes, sorted: nobody says the new ones."""
        if np.array_equal(self.classes, classes):
            return self
        at = np.searchsorted(classes, self.classes).astype(code_type(len(classes)))
        proba = None
        if self.proba is not None:
            proba = np.zeros((*self.votes.shape, len(classes)))
            proba[:, :, at] = self.proba
        y = None if self.y is None else at[self.y]
        return self._replace(votes=at[self.votes], y=y, proba=proba, classes=classes)

    def with_proba(self, proba):
        """Return the same votes with other probabilities, such as recalibrated ones."""
        return self._replace(proba=proba)

    def _replace(self, **parts):
        names = ("votes", "y", "proba", "classes", "sample_weight", "weights", "names", "combiner")
        return self._build(**{**{name: getattr(self, name) for name in names}, **parts})

    def need_votes(self, what):
        """Raise unless the members' labels are known."""
        if self.votes is None:
            raise ValueError(
                f"{what} needs the members' labels, but only right/wrong flags are known. Build "
                "the outputs with MemberOutputs(votes, y)."
            )

    def need_truth(self):
        """Raise unless the truth is known."""
        if self.y is None:
            raise ValueError("Right or wrong needs the truth: build the MemberOutputs with y.")


def as_outputs(outputs, *, numbers=False):
    """Return ``MemberOutputs``; an array is taken as right/wrong flags.

    With ``numbers``, the ``MemberPredictions`` of regressors pass too, as they are.
    """
    if isinstance(outputs, MemberOutputs):
        return outputs
    if isinstance(outputs, MemberPredictions):
        if not numbers:
            outputs.need_votes("This function")
        return outputs
    if isinstance(outputs, (PairCounts, OutputCounts)):
        raise TypeError(
            f"{type(outputs).__name__} know how often members were right, not on which samples: "
            "this needs MemberOutputs or flags of shape (n_members, n_samples)."
        )
    if hasattr(outputs, "predict") or not hasattr(outputs, "__len__"):
        raise TypeError(
            f"outputs={outputs!r}: pass MemberOutputs, which MemberOutputs.from_estimator(model, "
            "X, y) makes of an ensemble, or right/wrong flags of shape (n_members, n_samples)."
        )
    return MemberOutputs.from_correct(outputs)
