# %% [markdown]
# # A measure, a rule and a criterion of your own
#
# Nothing here is closed. A measure is a function of arrays, a rule that combines is a class with
# one method, a criterion is anything with a value; all of them work with everything else at once.

# %%
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from counterpoint import MemberOutputs
from counterpoint.datasets import load

X, y = load("glass", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
forest = RandomForestClassifier(30, random_state=0).fit(X_train.to_numpy(), y_train)
outputs = MemberOutputs.from_estimator(forest, X_test.to_numpy(), y_test)

# %% [markdown]
# ## A measure
#
# How often are all members wrong? A line of NumPy on `correct`, members first.


# %%
def all_wrong(outputs):
    """Return the share of samples that no member has right."""
    return float((~outputs.correct).all(axis=0).mean())


print(f"nobody is right about {all_wrong(outputs):.1%}")

# %% [markdown]
# [With a row in the table of measures](../how_to_add_measure.md) it appears in `profile`, in
# pictures and on the command line.
#
# ## A rule
#
# Trimmed mean: leave out the two highest and the two lowest members for every class, average the
# rest.

# %%
from counterpoint.combiners import CombinedClassifier, Combiner


class TrimmedMean(Combiner):
    """The mean of members' probabilities, without the two most extreme at each end."""

    def combine(self, outputs):
        """Return shares of the classes, (n_samples, n_classes)."""
        inner = np.sort(outputs.proba, axis=0)[2:-2].mean(axis=0)
        return inner / inner.sum(axis=1, keepdims=True)


model = CombinedClassifier(forest, combiner=TrimmedMean()).fit(X_train.to_numpy(), y_train)
print(f"trimmed {model.score(X_test.to_numpy(), y_test):.3f}, "
      f"mean {forest.score(X_test.to_numpy(), y_test):.3f}")  # fmt: skip

# %% [markdown]
# ## A criterion
#
# Choose members by any scorer of scikit-learn, here one that cares about every class alike.

# %%
from counterpoint.selection import select_forward

trace = select_forward(outputs, "balanced_accuracy", n_members=8)
print("joined, one by one:", trace.steps[-1].tolist())
