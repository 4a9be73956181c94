import os

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _wrapping_words():
    # With the JIT off, numpy warns that the multiplication in popcount wraps round, as it should.
    with np.errstate(over="ignore" if os.environ.get("NUMBA_DISABLE_JIT") == "1" else "warn"):
        yield
