import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

from counterpoint.subsets import alignment_weights, combine_kernels, kernel_alignment

X, Y = load_iris(return_X_y=True)
IDEAL = (Y[:, None] == Y).astype(float)


def alignment_by_hand(kernel, y):
    """Center with the matrix I - 1/n, as the paper writes it."""
    n, k = len(y), len(set(y.tolist()))
    centring = np.eye(n) - 1 / n
    ideal = np.where(y[:, None] == y, 1.0, -1 / (k - 1))
    a, b = centring @ kernel @ centring, centring @ ideal @ centring
    return np.trace(a @ b) / np.sqrt(np.trace(a @ a) * np.trace(b @ b))


@pytest.mark.parametrize("gamma", [0.01, 1.0, 100.0])
def test_alignment_is_that_of_the_paper(gamma):
    kernel = rbf_kernel(X, gamma=gamma)
    assert kernel_alignment(kernel, Y) == pytest.approx(alignment_by_hand(kernel, Y))
    assert kernel_alignment(IDEAL, Y) == pytest.approx(1.0)
    assert kernel_alignment(-IDEAL, Y) == pytest.approx(-1.0)
    assert np.isnan(kernel_alignment(np.ones((150, 150)), Y))


def test_weights_follow_alignment():
    kernels = [rbf_kernel(X, gamma=1.0), IDEAL, -IDEAL, np.ones((150, 150))]
    weights = alignment_weights(kernels, Y)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[1] > weights[0] > 0
    assert weights[2] == weights[3] == 0
    mixed = combine_kernels(kernels, Y)
    np.testing.assert_allclose(mixed, weights[0] * kernels[0] + weights[1] * IDEAL)


def test_sums_and_products_are_kernels_again():
    kernels = [rbf_kernel(X, gamma=g) for g in (0.1, 3.0)] + [IDEAL]
    np.testing.assert_allclose(combine_kernels(kernels), sum(kernels) / 3)
    np.testing.assert_allclose(combine_kernels(kernels, weights=[1, 0, 2]), kernels[0] + 2 * IDEAL)
    product = combine_kernels(kernels, how="product")
    np.testing.assert_allclose(product, kernels[0] * kernels[1] * IDEAL)
    for kernel in (combine_kernels(kernels), product):
        assert np.linalg.eigvalsh(kernel).min() > -1e-9


def test_sparse_kernels_stay_sparse():
    a, b = sparse.csr_array([[1.0, 0.5], [0.0, 1.0]]), sparse.csr_array([[1.0, 0.0], [0.2, 1.0]])
    total, product = combine_kernels([a, b]), combine_kernels([a, b], how="product")
    assert sparse.issparse(total)
    assert sparse.issparse(product)
    np.testing.assert_allclose(total.toarray(), [[1, 0.25], [0.1, 1]])
    np.testing.assert_allclose(product.toarray(), np.eye(2))
    with pytest.raises(TypeError, match="cannot be aligned"):
        combine_kernels([a, b], [0, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"how": "mean"}, "choose 'sum', 'product'"),
        ({"how": "product", "weights": [1, 1]}, "takes neither weights nor y"),
        ({"weights": [1, 1], "y": Y}, "not both"),
        ({"weights": [1]}, "one per kernel"),
        ({"weights": [1, -1]}, "finite and not negative, but is -1 at kernel 1"),
        ({"weights": [0, 0]}, "all zero"),
        ({"y": Y[:3]}, "between the training samples"),
        ({"y": np.zeros(150, dtype=int)}, "one class only"),
    ],
)
def test_wrong_options_say_what_to_change(options, message):
    with pytest.raises(ValueError, match=message):
        combine_kernels([IDEAL, IDEAL], **options)


def test_wrong_kernels_say_what_to_change():
    with pytest.raises(ValueError, match="empty"):
        combine_kernels([])
    with pytest.raises(ValueError, match="all must have one shape"):
        combine_kernels([IDEAL, IDEAL[:2]])
    with pytest.raises(ValueError, match="all must have one shape"):
        combine_kernels([[1.0]])
    with pytest.raises(ValueError, match="None of the 1 kernels is aligned"):
        alignment_weights([-IDEAL], Y)
