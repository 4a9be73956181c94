"""Members trained one after another: boosting, and learners made for it.

One loop (``loop``) carries all methods. Each is a ``Rule`` (``rules``): how samples are weighted,
what a member is worth; a ``Learner`` (``learners``) trains the members. AdaBoost.NC keeps its
members apart; AdaBoost with the restart rule and AdaBoost.M1 are its case without penalty.
AdaBoost.M2, arc-x4, BrownBoost, LogitBoost, L2Boost, AdaBoost-SVM, NCAB-SVM and DECORATE are the
rest of the family, and ``negative_correlation`` grows several boosters together. ``concepts`` has a
readable learner for nominal data, ``discretize`` the cuts it needs, ``stopping`` rules that end
training early. A method of your own is a ``Rule`` and a ``BaseBoostingClassifier``.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "adaboost": (
        "AdaBoostClassifier",
        "AdaBoostM1Classifier",
    ),
    "adaboost_nc": ("AdaBoostNCClassifier",),
    "arcing": ("ArcX4Classifier",),
    "brownboost": ("BrownBoostClassifier",),
    "concept_rules": ("NominalConcept",),
    "concepts": ("NominalConceptClassifier",),
    "decorate": ("DecorateClassifier",),
    "discretize": ("MDLDiscretizer",),
    "hist_boost": (
        "HistBoostClassifier",
        "HistBoostRegressor",
    ),
    "l2boost": (
        "L2BoostClassifier",
        "L2BoostRegressor",
    ),
    "learners": (
        "Learner",
        "MemberAnswer",
    ),
    "logitboost": ("LogitBoostClassifier",),
    "m2": ("AdaBoostM2Classifier",),
    "negative_correlation": (
        "NegativeCorrelationBoostingClassifier",
        "NegativeCorrelationBoostingRegressor",
    ),
    "rules": (
        "Rule",
        "Verdict",
    ),
    "stopping": (
        "DiversityStopping",
        "ErrorStopping",
    ),
    "svm": (
        "AdaBoostSVMClassifier",
        "NCABSVMClassifier",
    ),
    "voting": ("BaseBoostingClassifier",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.boosting.adaboost import AdaBoostClassifier as AdaBoostClassifier
    from counterpoint.boosting.adaboost import AdaBoostM1Classifier as AdaBoostM1Classifier
    from counterpoint.boosting.adaboost_nc import AdaBoostNCClassifier as AdaBoostNCClassifier
    from counterpoint.boosting.arcing import ArcX4Classifier as ArcX4Classifier
    from counterpoint.boosting.brownboost import BrownBoostClassifier as BrownBoostClassifier
    from counterpoint.boosting.concept_rules import NominalConcept as NominalConcept
    from counterpoint.boosting.concepts import NominalConceptClassifier as NominalConceptClassifier
    from counterpoint.boosting.decorate import DecorateClassifier as DecorateClassifier
    from counterpoint.boosting.discretize import MDLDiscretizer as MDLDiscretizer
    from counterpoint.boosting.hist_boost import HistBoostClassifier as HistBoostClassifier
    from counterpoint.boosting.hist_boost import HistBoostRegressor as HistBoostRegressor
    from counterpoint.boosting.l2boost import L2BoostClassifier as L2BoostClassifier
    from counterpoint.boosting.l2boost import L2BoostRegressor as L2BoostRegressor
    from counterpoint.boosting.learners import Learner as Learner
    from counterpoint.boosting.learners import MemberAnswer as MemberAnswer
    from counterpoint.boosting.logitboost import LogitBoostClassifier as LogitBoostClassifier
    from counterpoint.boosting.m2 import AdaBoostM2Classifier as AdaBoostM2Classifier
    from counterpoint.boosting.negative_correlation import (
        NegativeCorrelationBoostingClassifier as NegativeCorrelationBoostingClassifier,
    )
    from counterpoint.boosting.negative_correlation import (
        NegativeCorrelationBoostingRegressor as NegativeCorrelationBoostingRegressor,
    )
    from counterpoint.boosting.rules import Rule as Rule
    from counterpoint.boosting.rules import Verdict as Verdict
    from counterpoint.boosting.stopping import DiversityStopping as DiversityStopping
    from counterpoint.boosting.stopping import ErrorStopping as ErrorStopping
    from counterpoint.boosting.svm import AdaBoostSVMClassifier as AdaBoostSVMClassifier
    from counterpoint.boosting.svm import NCABSVMClassifier as NCABSVMClassifier
    from counterpoint.boosting.voting import BaseBoostingClassifier as BaseBoostingClassifier
