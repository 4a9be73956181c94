"""What disagreement tells without labels: how wrong, how new, whom to trust, what to ask.

================================ ==================================================================
question                         functions
================================ ==================================================================
How wrong am I on these rows?    ``estimate_error``, ``error_by_segment``, ``SelfTraining``
Is this the same population?     ``detect_shift``, ``column_tests``, ``output_tests``,
                                 ``classifier_test``, ``disagreement_test``, ``SequentialAlarm``
Which answers may I act on?      ``conformal_sets``, ``conformal_intervals``, ``cross_conformal``,
                                 ``guarantee_risk``, ``selective_curve``, ``split_uncertainty``
Who is right when nobody knows?  ``estimate_truth`` from a ``VoteLog``, ``copying_pairs``
Which labels are wrong?          ``find_label_errors``
Which labels should I ask for?   ``QueryByCommittee``
================================ ==================================================================

All of them read :class:`counterpoint.MemberOutputs`, which may come without ``y``.
"""

from typing import TYPE_CHECKING

from counterpoint._doors import door

_HOMES = {
    "committee": (
        "QUERY_MEASURES",
        "QueryByCommittee",
    ),
    "conformal": (
        "ConformalSets",
        "conformal_intervals",
        "conformal_sets",
        "cross_conformal",
    ),
    "constrained": (
        "DisagreementTest",
        "disagreement_test",
    ),
    "copying": ("copying_pairs",),
    "drift": (
        "classifier_test",
        "column_tests",
        "detect_shift",
        "output_tests",
    ),
    "error": ("estimate_error",),
    "error_methods": (
        "ErrorMethod",
        "METHODS",
    ),
    "error_parts": ("ErrorEstimate",),
    "labels": (
        "LabelErrors",
        "find_label_errors",
    ),
    "segments": ("error_by_segment",),
    "selective": (
        "AbstentionRule",
        "DOUBTS",
        "guarantee_risk",
        "selective_curve",
    ),
    "self_training": ("SelfTraining",),
    "sequential": (
        "AlarmState",
        "SequentialAlarm",
        "Verdict",
    ),
    "truth": (
        "TRUTH_METHODS",
        "TruthEstimate",
        "estimate_truth",
    ),
    "uncertainty": (
        "UncertaintyParts",
        "split_uncertainty",
    ),
    "votes": ("VoteLog",),
}

__getattr__, __dir__, __all__ = door(__name__, _HOMES)

if TYPE_CHECKING:  # the same for those who read types
    from counterpoint.trust.committee import QUERY_MEASURES as QUERY_MEASURES
    from counterpoint.trust.committee import QueryByCommittee as QueryByCommittee
    from counterpoint.trust.conformal import ConformalSets as ConformalSets
    from counterpoint.trust.conformal import conformal_intervals as conformal_intervals
    from counterpoint.trust.conformal import conformal_sets as conformal_sets
    from counterpoint.trust.conformal import cross_conformal as cross_conformal
    from counterpoint.trust.constrained import DisagreementTest as DisagreementTest
    from counterpoint.trust.constrained import disagreement_test as disagreement_test
    from counterpoint.trust.copying import copying_pairs as copying_pairs
    from counterpoint.trust.drift import classifier_test as classifier_test
    from counterpoint.trust.drift import column_tests as column_tests
    from counterpoint.trust.drift import detect_shift as detect_shift
    from counterpoint.trust.drift import output_tests as output_tests
    from counterpoint.trust.error import estimate_error as estimate_error
    from counterpoint.trust.error_methods import METHODS as METHODS
    from counterpoint.trust.error_methods import ErrorMethod as ErrorMethod
    from counterpoint.trust.error_parts import ErrorEstimate as ErrorEstimate
    from counterpoint.trust.labels import LabelErrors as LabelErrors
    from counterpoint.trust.labels import find_label_errors as find_label_errors
    from counterpoint.trust.segments import error_by_segment as error_by_segment
    from counterpoint.trust.selective import DOUBTS as DOUBTS
    from counterpoint.trust.selective import AbstentionRule as AbstentionRule
    from counterpoint.trust.selective import guarantee_risk as guarantee_risk
    from counterpoint.trust.selective import selective_curve as selective_curve
    from counterpoint.trust.self_training import SelfTraining as SelfTraining
    from counterpoint.trust.sequential import AlarmState as AlarmState
    from counterpoint.trust.sequential import SequentialAlarm as SequentialAlarm
    from counterpoint.trust.sequential import Verdict as Verdict
    from counterpoint.trust.truth import TRUTH_METHODS as TRUTH_METHODS
    from counterpoint.trust.truth import TruthEstimate as TruthEstimate
    from counterpoint.trust.truth import estimate_truth as estimate_truth
    from counterpoint.trust.uncertainty import UncertaintyParts as UncertaintyParts
    from counterpoint.trust.uncertainty import split_uncertainty as split_uncertainty
    from counterpoint.trust.votes import VoteLog as VoteLog
