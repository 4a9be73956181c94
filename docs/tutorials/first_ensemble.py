# %% [markdown]
# # Your first hour: from a forest to one page
#
# We take a forest that somebody has trained, ask whether it was worth it, build something better,
# and end with a tree that fits on a page. Every cell runs in a second or two.

# %%
import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from counterpoint import MemberOutputs
from counterpoint.datasets import load

X, y = load("vehicle", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
forest = RandomForestClassifier(50, random_state=0).fit(X_train, y_train)
print(f"the forest errs on {1 - forest.score(X_test, y_test):.1%} of new rows")

# %% [markdown]
# ## What did its members say?
#
# `MemberOutputs` asks every tree about rows it was not trained on, once. All measures, rules and
# pictures read these arrays; nothing is asked twice. Members come first on every axis.

# %%
outputs = MemberOutputs.from_estimator(forest, X_test, y_test)
print(outputs.votes.shape, outputs.correct.mean(axis=1).round(2)[:5])

# %% [markdown]
# ## Was it worth it?
#
# A sentence, then the numbers behind it.

# %%
from counterpoint.diversity import profile, worth

print(worth(outputs).verdict)
profile(outputs)["value"].round(3).head(8)

# %% [markdown]
# One point per pair of trees: to the right those that agree, up those that err. The dash is the
# vote.

# %%
from counterpoint.plots import KappaErrorDisplay

KappaErrorDisplay.from_outputs(outputs, name="forest")
plt.close("all")

# %% [markdown]
# ## Would other members help?
#
# Trees of one forest are wrong in much the same places. Networks and a linear model are not
# trees. They are cross-fitted, so that each is judged on rows it has not seen, and join one at a
# time.

# %%
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.selection import EnsembleSelectionClassifier

pool = {
    "forest": RandomForestClassifier(50, random_state=0),
    "networks": NegativeCorrelationClassifier(5, random_state=0),
    "linear": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
}
better = EnsembleSelectionClassifier(pool, cv=3, random_state=0).fit(X_train, y_train)
print(f"together they err on {1 - better.score(X_test, y_test):.1%}")
assert better.score(X_test, y_test) > forest.score(X_test, y_test)

# %% [markdown]
# Who is in, with what weight, and what would be lost without them?

# %%
from counterpoint.combiners import member_contributions

member_contributions(better.member_outputs(X_test, y_test)).round(3)

# %% [markdown]
# ## One page of it
#
# Where a decision must be argued about, a tree of eight leaves may be worth a few errors more.
# `path_` has the best tree of every size; `readable` rounds thresholds without moving a training
# row.

# %%
from counterpoint.trees import MergedTreeClassifier

one = MergedTreeClassifier(40, max_leaf_nodes=8, readable=True, random_state=0)
one.fit(X_train, y_train)
print(one.rules_)
print(f"{one.n_leaves_} leaves err on {1 - one.score(X_test, y_test):.1%}")

# %% [markdown]
# ## Where next
#
# [Choosing a method](../choosing.md) says what to try when; the [gallery](../gallery.md) has a
# script for most tasks.
