"""Members trained one after another: boosting, and learners made for it.

One loop (``loop``) carries all methods. Each is a ``Rule`` (``rules``): how samples are weighted,
what a member is worth; a ``Learner`` (``learners``) trains the members. AdaBoost.NC keeps its
members apart; AdaBoost with the restart rule and AdaBoost.M1 are its case without penalty.
AdaBoost.M2, arc-x4, BrownBoost, LogitBoost, L2Boost, AdaBoost-SVM, NCAB-SVM and DECORATE are the
rest of the family, and ``negative_correlation`` grows several boosters together. ``concepts`` has a
readable learner for nominal data, ``discretize`` the cuts it needs, ``stopping`` rules that end
training early. A method of your own is a ``Rule`` and a ``BaseBoostingClassifier``.
"""

from counterpoint.boosting.adaboost import AdaBoostClassifier, AdaBoostM1Classifier
from counterpoint.boosting.adaboost_nc import AdaBoostNCClassifier
from counterpoint.boosting.arcing import ArcX4Classifier
from counterpoint.boosting.brownboost import BrownBoostClassifier
from counterpoint.boosting.concept_rules import NominalConcept
from counterpoint.boosting.concepts import NominalConceptClassifier
from counterpoint.boosting.decorate import DecorateClassifier
from counterpoint.boosting.discretize import MDLDiscretizer
from counterpoint.boosting.hist_boost import HistBoostClassifier, HistBoostRegressor
from counterpoint.boosting.l2boost import L2BoostClassifier, L2BoostRegressor
from counterpoint.boosting.learners import Learner, MemberAnswer
from counterpoint.boosting.logitboost import LogitBoostClassifier
from counterpoint.boosting.m2 import AdaBoostM2Classifier
from counterpoint.boosting.negative_correlation import (
    NegativeCorrelationBoostingClassifier,
    NegativeCorrelationBoostingRegressor,
)
from counterpoint.boosting.rules import Rule, Verdict
from counterpoint.boosting.stopping import DiversityStopping, ErrorStopping
from counterpoint.boosting.svm import AdaBoostSVMClassifier, NCABSVMClassifier
from counterpoint.boosting.voting import BaseBoostingClassifier

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostM1Classifier",
    "AdaBoostM2Classifier",
    "AdaBoostNCClassifier",
    "AdaBoostSVMClassifier",
    "ArcX4Classifier",
    "BaseBoostingClassifier",
    "BrownBoostClassifier",
    "DecorateClassifier",
    "DiversityStopping",
    "ErrorStopping",
    "HistBoostClassifier",
    "HistBoostRegressor",
    "L2BoostClassifier",
    "L2BoostRegressor",
    "Learner",
    "LogitBoostClassifier",
    "MDLDiscretizer",
    "MemberAnswer",
    "NCABSVMClassifier",
    "NegativeCorrelationBoostingClassifier",
    "NegativeCorrelationBoostingRegressor",
    "NominalConcept",
    "NominalConceptClassifier",
    "Rule",
    "Verdict",
]
