"""Members trained one after another: boosting, and learners made for it.

One loop (``_engine``) carries all methods; each supplies what makes it different. AdaBoost.NC keeps
its members apart; AdaBoost with the restart rule and AdaBoost.M1 are its case without penalty.
AdaBoost.M2, arc-x4, LogitBoost, L2Boost, AdaBoost-SVM, NCAB-SVM and DECORATE are the rest of the
family. ``concepts`` has a readable
learner for nominal data, ``discretize`` the cuts it needs, ``stopping`` rules that end training
early.
"""

from counterpoint.boosting.adaboost import AdaBoostClassifier, AdaBoostM1Classifier
from counterpoint.boosting.adaboost_nc import AdaBoostNCClassifier
from counterpoint.boosting.additive import (
    L2BoostClassifier,
    L2BoostRegressor,
    LogitBoostClassifier,
)
from counterpoint.boosting.arcing import ArcX4Classifier
from counterpoint.boosting.concepts import NominalConcept, NominalConceptClassifier
from counterpoint.boosting.decorate import DecorateClassifier
from counterpoint.boosting.discretize import MDLDiscretizer
from counterpoint.boosting.m2 import AdaBoostM2Classifier
from counterpoint.boosting.stopping import DiversityStopping, ErrorStopping
from counterpoint.boosting.svm import AdaBoostSVMClassifier, NCABSVMClassifier

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostM1Classifier",
    "AdaBoostM2Classifier",
    "AdaBoostNCClassifier",
    "AdaBoostSVMClassifier",
    "ArcX4Classifier",
    "DecorateClassifier",
    "DiversityStopping",
    "ErrorStopping",
    "L2BoostClassifier",
    "L2BoostRegressor",
    "LogitBoostClassifier",
    "MDLDiscretizer",
    "NCABSVMClassifier",
    "NominalConcept",
    "NominalConceptClassifier",
]
