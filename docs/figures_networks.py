"""Draw the picture of docs/negative_correlation.md: python docs/figures_networks.py."""

import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

from counterpoint.datasets import make_ripley
from counterpoint.exceptions import CollapseWarning
from counterpoint.networks.negative_correlation import NegativeCorrelationClassifier
from counterpoint.plots.dynamics import NCLDynamicsDisplay

IMAGES = Path(__file__).parent / "images"
LAMBDAS = (0.76, 0.75, 0.7, 0.0)


def draw_dynamics():
    """Figure 4.4 of Eastwood (2010), with spread and errors below."""
    X, y = make_ripley(random_state=0)
    X_new, y_new = make_ripley(random_state=1)
    figure, axes = plt.subplots(
        3,
        4,
        figsize=(11, 6.5),
        sharex=True,
        sharey="row",
        height_ratios=[2, 1, 1],
        layout="constrained",
    )
    for k, lam in enumerate(LAMBDAS):
        model = NegativeCorrelationClassifier(
            3,
            hidden_layer_sizes=5,
            lam=lam,
            solver="gd",
            learning_rate=0.05,
            alpha=0.0,
            max_epochs=2000,
            patience=None,
            record=20,
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="lam=0.76 is beyond")
            warnings.simplefilter("ignore", CollapseWarning)
            model.fit(X, y, eval_set=(X_new, y_new))
        display = NCLDynamicsDisplay.from_estimator(model, ax=axes[:, k])
        axes[0, k].set_title(f"$\\lambda$ = {lam:g}" + (" = $\\lambda^*$" if lam == 0.75 else ""))
        for panel in display.axes_:
            if panel.get_legend() is not None and k != 3:
                panel.get_legend().remove()
            if k:
                panel.set_ylabel("")
    axes[0, 0].set_ylim(-1.5, 3.5)
    axes[1, 0].set_ylim(0, 3)
    axes[2, 0].set_ylim(0, 0.55)
    figure.savefig(IMAGES / "ncl_dynamics.png", dpi=100)
    plt.close(figure)
    with Image.open(IMAGES / "ncl_dynamics.png") as drawn:
        picture = drawn.convert("RGB").quantize(128)
    picture.save(IMAGES / "ncl_dynamics.png", optimize=True)


if __name__ == "__main__":
    draw_dynamics()
