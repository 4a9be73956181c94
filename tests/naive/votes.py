"""Slow twins of counterpoint._kernels.votes: plain Python, obvious."""


def add_votes(tally, votes, weights):
    tally = [list(row) for row in tally]
    for member, weight in zip(votes, weights, strict=True):
        for s, vote in enumerate(member):
            tally[s][vote] += weight
    return tally


def read_tally(tally, y):
    right, other, winner = [], [], []
    for row, truth in zip(tally, y, strict=True):
        row = list(row)
        right.append(row[truth])
        other.append(max([0.0, *(v for c, v in enumerate(row) if c != truth)]))
        winner.append(row.index(max(row)))
    return right, other, winner


def prefix_histograms(correct, sample_weight):
    n_members = len(correct)
    histograms = [[0.0] * (n_members + 1) for _ in range(n_members)]
    for t in range(n_members):
        for s, weight in enumerate(sample_weight):
            histograms[t][sum(bool(correct[m][s]) for m in range(t + 1))] += weight
    return histograms


def errors_of_vote_without(votes, y, n_classes):
    """Errors of the plurality vote, and of the vote without each member; ties to the first."""

    def errors(members):
        wrong = 0
        for sample, label in enumerate(y):
            cast = [0] * n_classes
            for member in members:
                cast[member[sample]] += 1
            wrong += cast.index(max(cast)) != label
        return wrong

    return errors(votes), [errors(votes[:k] + votes[k + 1 :]) for k in range(len(votes))]
