"""The claims by topic; the file of one is loaded when it is asked for.

A claim is added by a file of the topic's name, with a ``CLAIM`` in it, and by a line in ``TOPICS``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from counterpoint._spelling import did_you_mean

if TYPE_CHECKING:
    from counterpoint.claims.protocol import Claim

TOPICS = (
    "independent-vote",
    "australian-credit",
    "bagging",
    "two-gaussians",
    "best-lambda",
    "ensemble-size",
    "svm-boosting",
    "svm-kappa-error",
    "nominal-concepts",
    "training-dynamics",
    "lambda-star",
    "network-complexity",
    "equivalent-tree",
    "merged-trees",
    "sampled-hyperboxes",
    "subset-kernels",
    "churn",
    "svm-iterations",
    "forest-columns",
    "stable-learners",
    "labelled-by-bagging",
    "sigmoid-outputs",
    "stopping-by-q",
    "kernel-of-ensemble",
    "rare-classes",
    "few-rows",
)


def claim(topic: str) -> "Claim":
    """Return the claim of a topic, with hyphens, underscores or blanks between its words.

    Examples
    --------
    >>> claim("merged trees").title
    'Merged trees'
    """
    wanted = "-".join(str(topic).lower().replace("_", " ").replace("-", " ").split())
    if wanted not in TOPICS:
        hint = did_you_mean(wanted, TOPICS)
        raise ValueError(f"There is no claim {topic!r}: `counterpoint reproduce` lists them.{hint}")
    module = import_module(f"counterpoint.claims.{wanted.replace('-', '_')}")
    made: Claim = module.CLAIM
    return made
