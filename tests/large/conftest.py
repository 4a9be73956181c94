import numpy as np
import pandas as pd
import pytest

from counterpoint.large import BinnedStore

N_ROWS = 7 * 32768 + 1000  # eight groups of rows, the last one short


def make_rows(n=N_ROWS, seed=0):
    """Return numbers of few values, so that bins are exact, some missing; and three targets."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 5)) * 8)
    X[rng.uniform(size=n) < 0.1, 2] = np.nan
    z = X[:, 0] + np.nan_to_num(X[:, 2]) + 4 * rng.normal(size=n)
    frame = pd.DataFrame(X, columns=list("abcde"))
    return frame.assign(two=(z > 0).astype(int), three=np.digitize(z, [-5, 5]), number=z)


@pytest.fixture(scope="session")
def rows():
    return make_rows()


@pytest.fixture(scope="session")
def stores(rows, tmp_path_factory):
    """Return a store for each kind of target."""
    folder = tmp_path_factory.mktemp("stores")
    return {
        name: BinnedStore.write(
            rows, folder / name, target=name, columns=list("abcde"), max_bins=255, progress=False
        )
        for name in ("two", "three", "number")
    }
