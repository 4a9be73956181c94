"""CNC: rules from the formal concepts of the attribute that tells most about the class.

Follows Meddouri, Khoufi and Maddouri (PAKDD 2012), section 2. A boosting loop codes the columns
once, by ``prepare``, and then has members for other weights at the price of a few counts, by
``fit_prepared``.
"""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from counterpoint._arrays import check_sample_weight
from counterpoint._typing import DataLike, Seed, Target, Weights
from counterpoint._validation import check_choice, check_count
from counterpoint.boosting.coding import (
    CodedRows,
    CutCoder,
    ValueCoder,
    class_table,
    highest,
    numbers,
    pertinence,
    read_columns,
)
from counterpoint.boosting.concept_rules import ConceptRule, NominalConcept, NominalCondition
from counterpoint.boosting.discretize import as_counts, check_classes, mdl_cuts
from counterpoint.datasets.columns import is_frame, is_nominal
from counterpoint.trees.rules.rule import RuleList
from counterpoint.trees.single import SharesMixin

MAX_CODES = 32  # whole numbers of more distinct values are quantities, not names


class NominalConceptClassifier(SharesMixin, ClassifierMixin, BaseEstimator):
    r"""Rules from the concepts of the most telling attribute (CNC).

    The attribute with the highest information gain splits the training rows by its values. The
    rows with one value are the extent of a concept; all values that these rows share, of any
    attribute, are its intent; the rule says: who has the intent, has the classes of the extent.
    A row that no rule covers gets the class shares of all training rows.

    Takes nominal columns as they are, and is a cheap weak learner: Boosting Nominal Concepts is
    this classifier boosted by AdaBoost.M2 [1]_.

    Parameters
    ----------
    n_attributes : int or "all", default=1
        Number of attributes, the best first, to build concepts from [2]_. A row covered by several
        concepts gets the mean of their class shares, weighted by the ``measure`` of their
        attributes. A number beyond that of the columns means all.
    measure : {"gain", "gain_ratio"}, default="gain"
        What makes an attribute pertinent: information gain, or the gain over the entropy of the
        attribute itself, which is fairer to attributes of few values. Ties go to the first column.
    output : {"soft", "hard"}, default="soft"
        What `predict_proba` answers: class shares, or 1 for the class with the largest share
        and 0 for the others. `predict` is the same.
    ties : {"first", "random"}, default="first"
        Which of several classes with the largest share is said: the first, or, as in [1]_, one
        drawn at random. It is drawn when fitting, once for each concept and for rows without one,
        so that equal rows get equal answers. With ``AdaBoostM2Classifier(resample=True)``, which
        trains members on draws as [1]_ does, weights are whole numbers and ties are common.
    match : {"intent", "value"}, default="intent"
        When a rule covers a row: if it has the whole intent, which is what a concept means, or
        already if it has the concept's value of the pertinent attribute. No training row can tell
        them apart, as the intent is what all rows with the value share. New rows can: some of
        what a small extent shares is chance, and rows without it fall back on the class shares
        of all rows. Over many data sets neither is more accurate.
    discretize : {"auto", "numeric", "none"}, default="auto"
        Which numeric columns are first cut into intervals, as by `MDLDiscretizer`, on the training
        rows and weights given to `fit`. ``"auto"``: columns of floats, and of integers with more
        than 32 distinct values; other integers are codes of nominal values. ``"numeric"``: integers
        too. ``"none"``: every distinct number is a nominal value.
    random_state : int, RandomState instance or None, default=None
        Draws the classes said in ties, if they are random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    class_prior_ : ndarray of shape (n_classes,)
        Share of weight of each class: the answer where no concept matches.
    gains_ : ndarray of shape (n_features,)
        Value of ``measure`` for each column: bits, or a ratio; NaN for the ratio of a column with
        one value.
    attribute_ : str
        The most pertinent column; ``x0``, ``x1``, ... if columns have no names.
    attributes_ : list of str
        All columns with concepts, best first.
    concepts_ : list of NominalConcept
        By attribute, then by value in sorted order.
    rules_ : RuleList
        The same for people, and what happens ELSE.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.

    Notes
    -----
    Strings, categories, booleans and objects are nominal. A missing value is one more value.
    A value not seen in `fit` matches no concept. A numeric column without a cut tells nothing:
    it is left out of intents.

    The paper says that the attribute *minimises* the measure: that is the conditional entropy,
    not the gain.

    References
    ----------
    .. [1] N. Meddouri, H. Khoufi and M. Maddouri, "Diversity Analysis on Boosting Nominal
       Concepts", PAKDD 2012, section 2, eq. 2-3.
    .. [2] Y. Souissi, F. Boissier and N. Meddouri, "CNC-TP: Classifier Nominal Concept based on
       Top-Pertinent attributes", 2026.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.boosting import NominalConceptClassifier
    >>> X = pd.DataFrame({"legs": ["4", "4", "2", "2", "0"],
    ...                   "skin": ["hair", "hair", "feathers", "feathers", "scales"]})
    >>> y = ["cat", "dog", "bird", "bird", "fish"]
    >>> cnc = NominalConceptClassifier().fit(X, y)
    >>> print(cnc.rules_)
    IF legs=0 AND skin=scales THEN fish (1 of 1, 100 %)
    IF legs=2 AND skin=feathers THEN bird (2 of 2, 100 %)
    IF legs=4 AND skin=hair THEN cat (1 of 2, 50 %)
    ELSE bird (2 of 5, 40 %)
    >>> cnc.predict(X.head(3)).tolist()
    ['cat', 'cat', 'bird']
    """

    def __init__(
        self,
        *,
        n_attributes: int | str = 1,
        measure: str = "gain",
        output: str = "soft",
        ties: str = "first",
        match: str = "intent",
        discretize: str = "auto",
        random_state: Seed = None,
    ) -> None:
        self.n_attributes = n_attributes
        self.measure = measure
        self.output = output
        self.ties = ties
        self.match = match
        self.discretize = discretize
        self.random_state = random_state

    shares_work = True
    """Whether ``prepare`` saves work when many models are fitted to the same rows."""

    def fit(self, X: DataLike, y: Target, sample_weight: Weights = None) -> Self:
        """Find the pertinent attributes and their concepts.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n_samples, n_features)
            Nominal or numeric columns.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Rows of weight 0 are in no extent.

        Returns
        -------
        self : NominalConceptClassifier
        """
        return self.fit_prepared(self.prepare(X, y, sample_weight))

    def prepare(
        self, X: DataLike, y: Target, sample_weight: Weights = None, *, classes: Any = None
    ) -> Any:
        """Learn values and cuts of the columns, once for all models on these rows.

        Takes what ``fit`` takes, and ``classes``, sorted labels of which some may have no row here;
        y are then their codes. Numeric columns are cut by these weights. Returns ``CodedRows``.
        Concepts of an earlier fit are forgotten: they are of other values.
        """
        self._check_options()
        self.__dict__.pop("_concept_of", None)
        columns = self._columns(X, y, reset=True)
        if classes is None:
            self.classes_, y = np.unique(check_classes(self, y, columns[0]), return_inverse=True)
        else:
            self.classes_ = classes
        weight = check_sample_weight(sample_weight, len(y))
        if weight is None:
            weight = np.ones(len(y))
        elif not weight.all():
            has_weight = weight > 0
            columns = [column[has_weight] for column in columns]
            y, weight = y[has_weight], weight[has_weight]
        counts = as_counts(weight)
        self._coders: list[CutCoder | ValueCoder] = []
        for column in columns:
            if self._is_cut(column):
                edges = mdl_cuts(numbers(column), y, counts, len(self.classes_))
                self._coders.append(CutCoder(column, edges))
            else:
                self._coders.append(ValueCoder(column))
        return CodedRows(self._coded(columns), y, weight, self.ties == "random")

    def fit_prepared(self, data: Any, sample_weight: Weights = None) -> Self:
        """Find attributes and concepts of what ``prepare`` returned; None: by its weights.

        Weights must be finite, not negative, and not all zero.
        """
        codes, y = data.codes, data.y
        weight = data.weight if sample_weight is None else np.asarray(sample_weight)
        if not weight.all():
            has_weight = weight > 0
            codes, y, weight = codes[has_weight], y[has_weight], weight[has_weight]
        n_classes = len(self.classes_)
        self._weighted = bool((weight != weight[0]).any())
        self._count = np.bincount(y, minlength=n_classes)
        self._prior_weight = np.bincount(y, weights=weight, minlength=n_classes)
        self.class_prior_ = self._prior_weight / weight.sum()
        tables = [
            class_table(codes[:, j], y, weight, len(coder.values), n_classes)
            for j, coder in enumerate(self._coders)
        ]
        self.gains_ = np.array([pertinence(table, self.measure) for table in tables])
        k = len(tables) if self.n_attributes == "all" else min(self.n_attributes, len(tables))
        self._pertinent = highest(self.gains_, k)
        self._concept_of: list[np.ndarray] = []
        self._owner: list[int] = []  # the attribute of each concept
        intents, counts, weights = [], [], []
        for a in self._pertinent:
            count = class_table(codes[:, a], y, None, len(tables[a]), n_classes)
            seen = np.flatnonzero(count.sum(axis=1))
            # One place more than there are values: code -1, never seen, reads the last: no concept.
            concept_of = np.full(len(count) + 1, -1)
            concept_of[seen] = len(self._owner) + np.arange(len(seen))
            self._concept_of.append(concept_of)
            self._owner += [a] * len(seen)
            intents.append(self._closures(codes, a, len(count))[seen])
            counts.append(count[seen])
            weights.append(tables[a][seen])
        self._intents = np.concatenate(intents)
        self._counts, self._weights = np.concatenate(counts), np.concatenate(weights)
        self._rank = None
        if self.ties == "random":
            # Of each concept, and of none at last: which class is said first among equals.
            rng = check_random_state(self.random_state)
            self._rank = rng.random_sample((len(self._owner) + 1, n_classes))
        return self

    def predict_prepared(self, data: Any, *, proba: bool = False) -> Any:
        """Return class codes of the prepared rows, and class shares if wanted, else None."""
        shares, best = self._predict_codes(data.codes)
        return best.astype(np.int32), shares if proba else None

    def predict(self, X: DataLike) -> NDArray:
        """Return the class with the largest share, (n_samples,); see ``ties``."""
        check_is_fitted(self)
        return self.classes_[self._predict_codes(self._coded(self._columns(X, reset=False)))[1]]

    def predict_proba(self, X: DataLike) -> NDArray:
        """Return the class shares of the concepts that rows belong to.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n_samples, n_features)
            Rows with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self._predict_codes(self._coded(self._columns(X, reset=False)))[0]

    @property
    def attribute_(self) -> str:
        """The most pertinent column."""
        return self.attributes_[0]

    @property
    def attributes_(self) -> list[str]:
        """All columns with concepts, best first."""
        check_is_fitted(self)
        return [self._coders[j].name for j in self._pertinent]

    @property
    def concepts_(self) -> list[NominalConcept]:
        """The concepts, made when asked for: a boosting loop never asks."""
        check_is_fitted(self)
        labels = self.classes_.tolist()
        return [
            NominalConcept(
                attribute=self._coders[a].name,
                value=self._coders[a].values[intent[a]],
                intent={c.name: c.value for c in self._conditions(intent)},
                extent_size=int(count.sum()),
                extent_weight=float(weight.sum()),
                counts=dict(zip(labels, count.tolist(), strict=True)),
                distribution=dict(zip(labels, (weight / weight.sum()).tolist(), strict=True)),
            )
            for a, intent, count, weight in self._concept_parts()
        ]

    def _concept_parts(self):
        return zip(self._owner, self._intents, self._counts, self._weights, strict=True)

    @property
    def rules_(self) -> RuleList:
        """One rule per concept, and a last one for rows that match none."""
        check_is_fitted(self)
        rules = RuleList()
        for number, (a, intent, count, weight) in enumerate(self._concept_parts()):
            own, *others = sorted(self._conditions(intent), key=lambda c: c.feature != a)
            when, conditions = str(own), (own,)
            if others and self.match == "intent":
                when, conditions = " AND ".join(map(str, (own, *others))), (own, *others)
            elif others:
                when += f" (always with {', '.join(map(str, others))})"
            rules.append(self._rule(f"IF {when} THEN", conditions, count, weight, number))
        rules.append(self._rule("ELSE", (), self._count, self._prior_weight, -1))
        return rules

    def _conditions(self, intent):
        return [
            NominalCondition(feature=j, name=c.name, value=c.values[v], coder=c)
            for j, (c, v) in enumerate(zip(self._coders, intent, strict=True))
            if v >= 0
        ]

    def _rule(self, when, conditions, count, weight, number):
        best = int(self._largest((weight / weight.sum())[np.newaxis], np.array([number]))[0])
        share = float(weight[best] / weight.sum())
        percent = f"{share:.0%}".replace("%", " %")
        of = f"{count[best]} of {count.sum()}"
        how = f"{of} rows, {percent} of weight" if self._weighted else f"{of}, {percent}"
        return ConceptRule(
            text=f"{when} {self.classes_[best]} ({how})",
            conditions=conditions,
            label=self.classes_.tolist()[best],
            support=float(weight.sum()),
            confidence=share,
            leaf=number,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        # One attribute is not enough for the three classes that scikit-learn's checks have.
        tags.classifier_tags.poor_score = self.n_attributes == 1
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_concept_of")

    def _check_options(self):
        check_choice(self.measure, "measure", ("gain", "gain_ratio"))
        check_choice(self.output, "output", ("soft", "hard"))
        check_choice(self.ties, "ties", ("first", "random"))
        check_choice(self.match, "match", ("intent", "value"))
        check_choice(self.discretize, "discretize", ("auto", "numeric", "none"))
        if not (isinstance(self.n_attributes, str) and self.n_attributes == "all"):
            check_count(self.n_attributes, "n_attributes", hint=", or 'all'")

    def _columns(self, X, y="no_validation", *, reset):
        """Check X and return its columns as Series."""
        if is_frame(X):
            validate_data(self, X, y, reset=reset, skip_check_array=True)
        else:
            X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)
        return read_columns(X)

    def _is_cut(self, column):
        if self.discretize == "none" or is_nominal(column):
            return False
        if self.discretize == "numeric" or not pd.api.types.is_integer_dtype(column.dtype):
            return True
        return column.nunique() > MAX_CODES

    def _coded(self, columns):
        """Return codes (n_samples, n_features), -1 for what was not there in training."""
        codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32, order="F")
        for j, (coder, column) in enumerate(zip(self._coders, columns, strict=True)):
            codes[:, j] = coder.codes(column)
        return codes

    def _closures(self, codes, a, n_values):
        """Return, for each value of column a, the codes its rows share (-1 where they differ)."""
        own = codes[:, a]
        example = np.zeros(n_values, dtype=np.intp)
        example[own] = np.arange(len(own))
        intents = codes[example]
        for j, coder in enumerate(self._coders):
            differs = codes[:, j] != intents[own, j]
            broken = np.bincount(own[differs], minlength=n_values) > 0
            intents[broken | coder.idle, j] = -1
        # idle or not, a concept has the value it was built from
        intents[:, a] = np.arange(n_values)
        return intents

    def _predict_codes(self, codes):
        """Return the class shares (n_samples, n_classes) of coded rows, and the classes said."""
        votes = self._weights / self._weights.sum(axis=1, keepdims=True)
        # Where nothing is gained the shares are those of all rows: no vote comes to the same.
        votes = votes * np.nan_to_num(self.gains_)[self._owner, np.newaxis]
        votes = np.concatenate([votes, np.zeros((1, votes.shape[1]))])  # of no concept, at -1
        total = np.zeros((len(codes), votes.shape[1]))
        first = np.full(len(codes), -1)  # the concept of the best attribute that a row is in
        for a, concept_of in zip(self._pertinent, self._concept_of, strict=True):
            concept = concept_of[codes[:, a]]
            if self.match == "intent":
                concept = np.where(self._has_intent(codes, concept, a), concept, -1)
            total += votes[concept]
            first = np.where(first < 0, concept, first)
        sums = total.sum(axis=1, keepdims=True)
        shares = np.where(sums > 0, total / np.where(sums > 0, sums, 1), self.class_prior_)
        best = self._largest(shares, first)
        return (np.eye(shares.shape[1])[best] if self.output == "hard" else shares), best

    def _largest(self, shares, concept):
        """Return the class with the largest share, of equals by ``ties``."""
        if getattr(self, "_rank", None) is None:  # files of before have none
            return shares.argmax(axis=1)
        equal = shares >= shares.max(axis=1, keepdims=True)
        return np.where(equal, self._rank[concept], -1.0).argmax(axis=1)

    def _has_intent(self, codes, concept, a):
        has = np.ones(len(codes), dtype=bool)
        mine = self._intents[np.array(self._owner) == a]
        for j in np.flatnonzero((mine >= 0).any(axis=0)):
            value = self._intents[concept, j]
            has &= (value < 0) | (value == codes[:, j])
        return has
