"""Wrong input: each error says what was given, what was expected, and what to change."""

import numpy as np
import pytest

from counterpoint.decomposition import (
    BregmanLoss,
    ambiguity_decomposition,
    bias_variance,
    bias_variance_covariance,
    bias_variance_diversity,
    breiman,
    centroid,
    domingos,
    james,
    kohavi_wolpert,
    zero_one_diversity_effect,
)

nan = np.nan


@pytest.mark.parametrize(
    ("call", "message"),
    [
        # axes
        (
            lambda: ambiguity_decomposition([0.0], np.zeros((2, 3, 1))),
            r"outputs has shape \(2, 3, 1\): expected \(n_members, n_samples\)",
        ),
        (
            lambda: bias_variance([0.0, 1.0], np.zeros(2)),
            r"expected \(n_trials, n_samples\). For a single trial, pass predictions\[None\]",
        ),
        (
            lambda: bias_variance_covariance([0.0], np.zeros((4, 1))),
            r"expected \(n_trials, n_members, n_samples\). For a single trial",
        ),
        (
            lambda: bias_variance_diversity([0], np.zeros((2, 3, 1)), loss="cross-entropy"),
            r"outputs .* \(n_trials, n_members, n_samples, n_classes\)",
        ),
        (
            lambda: ambiguity_decomposition([0], np.zeros(3)),
            r"expected \(n_members, n_samples\). For a single member",
        ),
        (
            lambda: zero_one_diversity_effect(["a"], [["a"]]),
            r"labels has shape \(1, 1\): expected \(n_trials, n_members, n_samples\)",
        ),
        (lambda: bias_variance([[0.0]], [[0.0]]), r"y has shape \(1, 1\): expected \(n_samples\)"),
        # lengths
        (
            lambda: bias_variance(np.zeros(5), np.zeros((5, 3))),
            r"y has 5 samples, but predictions has shape \(5, 3\).*looks transposed",
        ),
        (
            lambda: ambiguity_decomposition(np.zeros(4), np.zeros((5, 3))),
            r"thus 3 samples: one value for each sample",
        ),
        (
            lambda: bias_variance_diversity(np.zeros(7), np.zeros((2, 7, 3))),
            r"looks transposed, pass np.swapaxes\(outputs, 1, 2\)",
        ),
        (
            lambda: breiman(["a", "b"], [["a"], ["b"]]),
            r"y has 2 samples, but labels has shape \(2, 1\)",
        ),
        (
            lambda: james(None, [[0], [1]], y_proba=[[1, 0], [0, 1]]),
            r"y_proba has 2 samples, but labels has shape \(2, 1\)",
        ),
        (
            lambda: bias_variance([0.0], [[0.0]], sample_weight=[1, 2]),
            r"sample_weight has shape \(2,\), expected \(1,\)",
        ),
        (
            lambda: ambiguity_decomposition([0.0], [[0.0]], weights=[-1]),
            "weights must be finite and not negative",
        ),
        (
            lambda: bias_variance([0.0], [[0.0]], noise=[1, 2]),
            "noise has 2 values for 1 samples",
        ),
        # empty, missing, not numbers
        (lambda: bias_variance([], np.zeros((3, 0))), r"n_samples is 0, at least 1 is needed"),
        (lambda: kohavi_wolpert([], np.zeros((0, 0))), r"n_trials is 0, at least 1 is needed"),
        (
            lambda: bias_variance_covariance([0.0], np.zeros((2, 0, 1))),
            "n_members is 0, at least 1 is needed",
        ),
        (
            lambda: bias_variance([0.0, 1.0], [[0.0, 1.0], [nan, 2.0]]),
            "predictions has nan at trial 1, sample 0",
        ),
        (lambda: bias_variance([nan], [[1.0]]), "y has nan at sample 0"),
        (lambda: bias_variance(["a"], [[1.0]]), "y must be numbers"),
        (lambda: bias_variance([1.0], [[1.0], []]), "predictions must be numbers in one rect"),
        (lambda: bias_variance([1.0], [[1.0]], noise=-1), "noise is an expected loss"),
        (lambda: kohavi_wolpert(["a", None], [["a", "b"]]), "y has a missing value at sample 1"),
        (
            lambda: kohavi_wolpert([1.0, 2.0], [[1.0, 2.0], [1.0, nan]]),
            "labels has a missing value at trial 1, sample 1",
        ),
        # labels and classes
        (
            lambda: kohavi_wolpert(["a"], [["c"]], classes=["a", "b"]),
            r"labels has labels that are not among the classes: \['c'\]; the classes are",
        ),
        (
            lambda: domingos(["c"], [["a"]], classes=["a", "b"]),
            r"y has labels that are not among the classes: \['c'\]",
        ),
        (
            lambda: domingos(None, [["a"]], y_proba=[[0.5, 0.5]]),
            r"labels has labels that are not among the classes: \['a'\]; the classes are \[0, 1\]",
        ),
        (
            lambda: kohavi_wolpert(["a"], [[1]]),
            "y and labels hold labels of different kinds",
        ),
        (lambda: james(["a"], [["a"]], classes=["a", "a"]), "classes has a label twice"),
        (
            lambda: breiman(None, [["a"]], y_proba=[[0.5, 0.5]], classes=["a"]),
            "y_proba has 2 columns, but classes has 1 values",
        ),
        (lambda: breiman(None, [["a"]]), "neither y nor y_proba given"),
        (lambda: breiman(["a"], [["a"]], y_proba=[[1.0]]), "both y and y_proba given"),
        (lambda: kohavi_wolpert(["a"], [["a"]], unbiased=True), "at least 2 trials"),
        # probabilities
        (
            lambda: james(None, [[0, 0]], y_proba=[[1, 0], [0.5, 0.4]]),
            "y_proba adds up to 0.9 over the classes at sample 1",
        ),
        (
            lambda: james(None, [[0, 0]], y_proba=[[1, 0], [1.5, -0.5]]),
            "y_proba has -0.5 at sample 1, class 1: probabilities are never negative",
        ),
        (
            lambda: ambiguity_decomposition([0], [[[0.5, 0.6]]], loss="cross-entropy"),
            "outputs adds up to 1.1 over the classes at member 0, sample 0",
        ),
        (
            lambda: ambiguity_decomposition([0], [[[nan, 1.0]]], loss="cross-entropy"),
            "outputs has nan at member 0, sample 0, class 0",
        ),
        (
            lambda: bias_variance_diversity([0], [[[[-1.0, 2.0]]]], loss="cross-entropy"),
            "outputs has -1 at trial 0, member 0, sample 0, class 0",
        ),
        (
            lambda: ambiguity_decomposition([[0.5, 0.6]], [[[0.5, 0.5]]], loss="cross-entropy"),
            "y adds up to 1.1 over the classes at sample 0",
        ),
        (
            lambda: ambiguity_decomposition(
                [[0.5, 0.3, 0.2]], [[[0.5, 0.5]]], loss="cross-entropy"
            ),
            "y has 3 columns, but outputs has 2 classes",
        ),
        (
            lambda: ambiguity_decomposition([2], [[[0.5, 0.5]]], loss="cross-entropy"),
            r"y has labels that are not among the classes: \[2\]",
        ),
        (
            lambda: ambiguity_decomposition([nan], [[[0.5, 0.5]]], loss="cross-entropy"),
            "y has nan: every label must be known",
        ),
        (
            lambda: ambiguity_decomposition(
                ["a"], [[[0.5, 0.5]]], loss="cross-entropy", classes=["a"]
            ),
            "classes has 1 values, but outputs has 2 classes",
        ),
        (
            lambda: ambiguity_decomposition([1], [[0.5]], loss="logistic", classes=[0, 1]),
            "leave classes out",
        ),
        # domains and losses
        (
            lambda: ambiguity_decomposition([1], [[1.5]], loss="logistic"),
            "outputs has 1.5, but 'logistic' loss needs values from 0 to 1",
        ),
        (
            lambda: ambiguity_decomposition([-1], [[0.5]], loss="logistic"),
            "y has -1, but 'logistic' loss needs values from 0 to 1",
        ),
        (
            lambda: centroid([[-2.0]], "poisson"),
            "outputs has -2, but 'poisson' loss needs values from 0 to inf",
        ),
        (lambda: centroid([[2.0]], "poisson", eps=0), "eps=0: give a number above 0"),
        (lambda: centroid([[2.0]], "hinge"), "loss='hinge': choose 'squared'"),
        (
            lambda: ambiguity_decomposition(
                [2.0, 0.0],
                [[1.0, 1.0]],
                loss=BregmanLoss("is", lambda q: -np.log(q), None, None, domain=(0, np.inf)),
            ),
            "y is 0.0 at sample 1, where 'is' loss is not finite",
        ),
    ],
)
def test_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
