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

from counterpoint.trust.committee import QUERY_MEASURES, QueryByCommittee
from counterpoint.trust.conformal import (
    ConformalSets,
    conformal_intervals,
    conformal_sets,
    cross_conformal,
)
from counterpoint.trust.constrained import DisagreementTest, disagreement_test
from counterpoint.trust.copying import copying_pairs
from counterpoint.trust.drift import classifier_test, column_tests, detect_shift, output_tests
from counterpoint.trust.error import estimate_error
from counterpoint.trust.error_methods import METHODS, ErrorMethod
from counterpoint.trust.error_parts import ErrorEstimate
from counterpoint.trust.labels import LabelErrors, find_label_errors
from counterpoint.trust.segments import error_by_segment
from counterpoint.trust.selective import (
    DOUBTS,
    AbstentionRule,
    guarantee_risk,
    selective_curve,
)
from counterpoint.trust.self_training import SelfTraining
from counterpoint.trust.sequential import AlarmState, SequentialAlarm, Verdict
from counterpoint.trust.truth import TRUTH_METHODS, TruthEstimate, estimate_truth
from counterpoint.trust.uncertainty import UncertaintyParts, split_uncertainty
from counterpoint.trust.votes import VoteLog

__all__ = [
    "DOUBTS",
    "METHODS",
    "QUERY_MEASURES",
    "TRUTH_METHODS",
    "AbstentionRule",
    "AlarmState",
    "ConformalSets",
    "DisagreementTest",
    "ErrorEstimate",
    "ErrorMethod",
    "LabelErrors",
    "QueryByCommittee",
    "SelfTraining",
    "SequentialAlarm",
    "TruthEstimate",
    "UncertaintyParts",
    "Verdict",
    "VoteLog",
    "classifier_test",
    "column_tests",
    "conformal_intervals",
    "conformal_sets",
    "copying_pairs",
    "cross_conformal",
    "detect_shift",
    "disagreement_test",
    "error_by_segment",
    "estimate_error",
    "estimate_truth",
    "find_label_errors",
    "guarantee_risk",
    "output_tests",
    "selective_curve",
    "split_uncertainty",
]
