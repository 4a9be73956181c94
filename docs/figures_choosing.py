"""Draw the ladder of docs/choosing.md: a question, what to take, and what was measured."""

import sys
import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

sys.path.insert(0, str(Path(__file__).parent))
import evidence
from figures import save

from counterpoint.plots import style

HIGH = 1.0


def draw_choosing():
    """One rung a question: yes leads to the right, no further down."""
    rungs = evidence.branches()
    figure, ax = plt.subplots(figsize=(11.5, 1.05 * len(rungs)), layout="constrained")
    box = {"boxstyle": "round,pad=0.45", "linewidth": 1.4}
    for k, rung in enumerate(rungs):
        y = -HIGH * k
        last = k == len(rungs) - 1
        ax.text(
            0.0, y, textwrap.fill(rung.question, 26), ha="center", va="center", fontsize=11,
            bbox={**box, "facecolor": style.tint(style.colour(0), 0.15),
                  "edgecolor": style.colour(0)},
        )  # fmt: skip
        arrow = {"arrowstyle": "-|>", "color": style.GREY, "linewidth": 1.3}
        ax.annotate("", (0.335, y), (0.17, y), arrowprops=arrow)
        if not last:
            ax.text(0.25, y + 0.07, "yes", ha="center", va="bottom", fontsize=9, color="0.35")
            ax.annotate("", (0.0, y - 0.68), (0.0, y - 0.3), arrowprops=arrow)
            ax.text(0.015, y - 0.48, "no", va="center", fontsize=9, color="0.35")
        ax.text(
            0.345, y + 0.19, rung.take, va="center", fontsize=11, fontweight="bold",
            color=style.colour(1),
        )  # fmt: skip
        ax.text(
            0.345, y - 0.16, textwrap.fill(rung.evidence, 88), va="center", fontsize=9.5,
            color="0.2", linespacing=1.25,
        )  # fmt: skip
    ax.set(xlim=(-0.17, 1.2), ylim=(-HIGH * (len(rungs) - 1) - 0.45, 0.45))
    ax.set_axis_off()
    save(figure, "choosing.png")


if __name__ == "__main__":
    draw_choosing()
