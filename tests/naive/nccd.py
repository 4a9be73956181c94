"""NCCD in plain Python: targets, rounds, out-of-bag error. Imports nothing of ours."""


def corrected(d, f, s):
    return [[a + s / (1 - s) * (a - b) for a, b in zip(u, v)] for u, v in zip(d, f)]


def mean_of(tables):
    return [
        [sum(column) / len(tables) for column in zip(*rows)] for rows in zip(*tables, strict=True)
    ]


def rounds(learn, X, d, bags, s, step, n_rounds, exclude_self):
    """Outputs (members, rows, columns) of every round; ``learn(i, X, t)`` returns a function."""
    n = len(bags)
    rate = s * (1 - 1 / n) if exclude_self else s
    targets, memory, story = [d] * n, None, []
    for _ in range(n_rounds):
        outputs = []
        for i, rows in enumerate(bags):
            model = learn(i, [X[r] for r in rows], [targets[i][r] for r in rows])
            outputs.append([list(model(x)) for x in X])
        story.append(outputs)
        if memory is None:
            memory = outputs
        else:
            memory = [
                [[m + step * (o - m) for m, o in zip(u, v)] for u, v in zip(old, new)]
                for old, new in zip(memory, outputs)
            ]
        for i in range(n):
            others = [memory[j] for j in range(n) if j != i or not exclude_self]
            targets[i] = corrected(d, mean_of(others), rate)
    return story


def terms(outputs, d):
    """Squared error of the mean, mean squared error of members, spread around the mean."""
    f = mean_of(outputs)

    def distance(a, b):
        return sum((x - y) ** 2 for u, v in zip(a, b) for x, y in zip(u, v)) / len(a)

    n = len(outputs)
    return (
        distance(f, d),
        sum(distance(o, d) for o in outputs) / n,
        sum(distance(o, f) for o in outputs) / n,
    )


def out_of_bag_error(outputs, d, bags):
    """Squared error of the members that did not see a row, as if there were as many as all."""
    n, errors = len(outputs), []
    for r, want in enumerate(d):
        unseen = [outputs[i][r] for i in range(n) if r not in set(bags[i])]
        m = len(unseen)
        if m < 2:
            continue
        f = [sum(column) / m for column in zip(*unseen)]
        error = sum((a - b) ** 2 for a, b in zip(f, want))
        spread = sum((a - b) ** 2 for o in unseen for a, b in zip(o, f)) / (m - 1)
        errors.append(error - spread / m + spread / n)
    return sum(errors) / len(errors)


def nearest_distribution(f):
    """The distribution nearest to a list of numbers, by halving the amount to subtract."""
    low, high = min(f) - 1.0, max(f)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(max(v - middle, 0) for v in f) > 1 else (low, middle)
    return [max(v - low, 0) for v in f]
