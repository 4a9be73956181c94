"""Draw the pictures of one readable model: python docs/figures_trees.py."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from PIL import Image
from sklearn.datasets import load_breast_cancer

from counterpoint.datasets import make_ripley
from counterpoint.hyperboxes import HyperboxEnsembleClassifier
from counterpoint.plots import HyperboxDisplay, TreeDisplay
from counterpoint.trees import MergedTreeClassifier

IMAGES = Path(__file__).parent / "images"


def save(figure, name):
    path = IMAGES / name
    figure.savefig(path, dpi=90, bbox_inches="tight")
    Image.open(path).convert("P", palette=Image.Palette.ADAPTIVE, colors=96).save(
        path, optimize=True
    )


def draw_merged_tree():
    """21 trees merged into one."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = MergedTreeClassifier(random_state=0).fit(X, y.map({0: "malignant", 1: "benign"}))
    save(TreeDisplay.from_estimator(model).figure_, "merged_tree.png")


def draw_hyperboxes():
    """Boxes out of a bag of trees, over Ripley's problem."""
    X, y = make_ripley(random_state=0)
    model = HyperboxEnsembleClassifier(random_state=0).fit(X, y)
    save(HyperboxDisplay.from_estimator(model, X, y).figure_, "hyperboxes.png")


if __name__ == "__main__":
    draw_merged_tree()
    draw_hyperboxes()
