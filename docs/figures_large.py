"""Draw docs/images/large.png from benchmarks/large.csv: python docs/figures_large.py."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd

ROOT = Path(__file__).parent.parent


def draw():
    """Draw seconds a round by rows, on logarithmic axes."""
    table = pd.read_csv(ROOT / "benchmarks" / "large.csv")
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for who, part in table.groupby("who", sort=False):
        axes.plot(part["rows"], part["seconds"], marker="o", label=who)
    axes.set(xscale="log", yscale="log", xlabel="Rows", ylabel="Seconds a round")
    axes.set_title("AdaBoost.NC, 20 columns, depth 6", loc="left")
    axes.legend(frameon=False)
    figure.savefig(ROOT / "docs" / "images" / "large.png", dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    draw()
