import numpy as np
import pytest


@pytest.fixture
def assert_identity():
    """Terms add up to the error, sample by sample, to 1e-12 of their size.

    ``floor`` is what counts as size where the terms are smaller: one nat for losses made of
    logarithms, whose rounding does not shrink with them.
    """

    def check(parts, floor=0.0):
        error, terms = parts.error, np.array(list(parts.terms().values()))
        size = np.maximum(np.abs(error) + np.abs(terms).sum(axis=0), floor)
        violation = np.abs(error - terms.sum(axis=0))
        assert (violation <= 1e-12 * size).all(), f"violated by {(violation / size).max()}"
        assert parts.residual <= 1e-12 or violation.max() <= 1e-12 * floor
        np.testing.assert_allclose(
            sum(parts.contributions.values()),
            parts.averages["error"],
            rtol=0,
            atol=1e-12 * max(np.average(size, weights=parts.sample_weight), floor),
        )

    return check


@pytest.fixture
def assert_matches():
    """Per-sample arrays equal those of a naive twin, called once a sample."""

    def check(parts, twin, n_samples, rtol=1e-9, atol=1e-12):
        expected = [twin(i) for i in range(n_samples)]
        for name in expected[0]:
            np.testing.assert_allclose(
                parts.per_sample[name],
                [sample[name] for sample in expected],
                rtol=rtol,
                atol=atol,
                err_msg=name,
            )

    return check
