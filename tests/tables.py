"""A small table with numbers, categories, gaps and an id, for tests that learn."""

import numpy as np
import pandas as pd


def mixed_table(n=90, seed=0):
    rng = np.random.RandomState(seed)
    size = rng.normal(size=n)
    colour = rng.choice(["red", "green", "blue"], size=n)
    label = np.where(size + (colour == "red") + rng.normal(scale=0.4, size=n) > 0.3, "yes", "no")
    frame = pd.DataFrame(
        {
            "size": np.round(size, 3),
            "colour": colour,
            "code": rng.randint(4, size=n),
            "id": [f"n{k}" for k in range(n)],
            "class": label,
        }
    )
    frame.loc[::9, "size"] = np.nan
    frame.loc[4::11, "colour"] = None
    return frame


def number_table(n=160, seed=0):
    """Return a like table with a number to estimate, called price."""
    rng = np.random.RandomState(seed)
    size = rng.normal(size=n)
    colour = rng.choice(["red", "green", "blue"], size=n)
    age = rng.randint(18, 80, size=n)
    price = 100 + 20 * size + 15 * (colour == "red") * size + 10 * np.sin(age / 8)
    frame = pd.DataFrame(
        {
            "size": np.round(size, 3),
            "colour": colour,
            "age": age,
            "id": [f"n{k}" for k in range(n)],
            "price": np.round(price + rng.normal(scale=6, size=n), 2),
        }
    )
    frame.loc[::17, "size"] = np.nan
    return frame
