# %% [markdown]
# # A model in use, and nobody sends labels
#
# A model is trained, put to use, and from then on nobody tells it what was right. Its members
# still disagree, and how they do says a good deal. What they cannot say is at the end.

# %%
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from counterpoint import MemberOutputs
from counterpoint.datasets import load

X, y = load("satimage", return_X_y=True)
X, y = X.to_numpy(float), np.asarray(y)
X_train, rest, y_train, y_rest = train_test_split(X, y, train_size=800, random_state=0)
X_known, X_new, y_known, y_new = train_test_split(rest, y_rest, train_size=800, random_state=0)
forest = RandomForestClassifier(40, random_state=0).fit(X_train, y_train)

# %% [markdown]
# The *reference* is rows with labels that no member was trained on. The rest is new; its labels
# are here only to look at the answer.

# %%
reference = MemberOutputs.from_estimator(forest, X_known, y_known)
noisy = X_new[:600] + np.random.default_rng(0).normal(0, 12, (600, X.shape[1]))  # a worn sensor
batches = {"as before": X_new[600:1200], "worn sensor": noisy}

# %% [markdown]
# ## How wrong is it there?
#
# Several methods, each tried where the truth is known; those that fail the trial do not count.

# %%
from counterpoint.trust import detect_shift, estimate_error

truth = {"as before": y_new[600:1200], "worn sensor": y_new[:600]}
for name, rows in batches.items():
    told = estimate_error(reference, MemberOutputs.from_estimator(forest, rows), random_state=0)
    first = told.table().iloc[0]
    wrong = np.mean(forest.predict(rows) != truth[name])
    print(f"{name}: estimated {first['estimate']:.3f}, came out {wrong:.3f}")

# %% [markdown]
# ## Is this still the same population?
#
# The columns, the answers, the confidence and the disagreement are tested at once, with a
# correction for testing many things.

# %%
for name, rows in batches.items():
    tests = detect_shift(
        reference, MemberOutputs.from_estimator(forest, rows), X_reference=X_known, X_new=rows
    )
    print(f"{name}: smallest p, corrected {tests['p_holm'].min():.1e}")

# %% [markdown]
# ## Which answers may I act on?
#
# Abstain on the rest: the share answered is as large as it can be for an error below 5 % with 95
# % confidence, as long as the rows come from where the reference came from.

# %%
from counterpoint.trust import guarantee_risk

rule = guarantee_risk(reference, risk=0.05, confidence=0.95)
new = MemberOutputs.from_estimator(forest, batches["as before"])
answered = rule.accept(new)
wrong = forest.predict(batches["as before"]) != truth["as before"]
print(f"answered {answered.mean():.0%}, error there {wrong[answered].mean():.3f}")
assert wrong[answered].mean() < wrong.mean()

# %% [markdown]
# ## What no method can do
#
# If the truth itself changes and rows and answers look as before, nothing here sees it. Labels
# for a few rows do: [which to ask for](../trust_labels.md) is a question of disagreement again.
