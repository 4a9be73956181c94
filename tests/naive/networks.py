"""Networks with one hidden layer of tanh units trained together, number by number."""

import math


def put_out(signals, output):
    if output == "linear":
        return list(signals)
    if output == "sigmoid":
        return [1 / (1 + math.exp(-z)) for z in signals]
    top = max(signals)
    powers = [math.exp(z - top) for z in signals]
    return [p / sum(powers) for p in powers]


def forward(net, x, output):
    """Return hidden units and outputs of one network, a dict of w, b, v, c, at one sample."""
    hidden = [
        math.tanh(bias + sum(x[q] * net["w"][q][j] for q in range(len(x))))
        for j, bias in enumerate(net["b"])
    ]
    signals = [
        bias + sum(hidden[j] * net["v"][j][k] for j in range(len(hidden)))
        for k, bias in enumerate(net["c"])
    ]
    return hidden, put_out(signals, output)


def slope_squared(own, mean, target, s):
    """Derivative of (f - d)^2 / 2 - lambda (f_i - f)^2 by f_i."""
    return [(1 - s) * f + s * m - d for f, m, d in zip(own, mean, target, strict=True)]


def slope_entropy(own, mean, target, s, output):
    """Derivative of (1 - s) CE(f_i) + s N CE(f) by f_i."""
    slopes = []
    for f, m, d in zip(own, mean, target, strict=True):
        slope = (1 - s) * -d / f + s * -d / m
        if output == "sigmoid":
            slope += (1 - s) * (1 - d) / (1 - f) + s * (1 - d) / (1 - m)
        slopes.append(slope)
    return slopes


def through(slopes, outputs, output):
    if output == "linear":
        return slopes
    if output == "sigmoid":
        return [g * f * (1 - f) for g, f in zip(slopes, outputs, strict=True)]
    inner = sum(g * f for g, f in zip(slopes, outputs, strict=True))
    return [f * (g - inner) for g, f in zip(slopes, outputs, strict=True)]


def gradients(nets, X, targets, weight, s, output, loss, alpha):
    """Derivatives of the weighted mean error of each network, in dicts like the networks."""
    found = [
        {
            "w": [[alpha * w for w in row] for row in net["w"]],
            "b": [0.0 for _ in net["b"]],
            "v": [[alpha * v for v in row] for row in net["v"]],
            "c": [0.0 for _ in net["c"]],
        }
        for net in nets
    ]
    for x, target, share in zip(X, targets, weight, strict=True):
        passed = [forward(net, x, output) for net in nets]
        mean = [sum(f) / len(nets) for f in zip(*(out for _, out in passed), strict=True)]
        for net, grad, (hidden, out) in zip(nets, found, passed, strict=True):
            if loss == "squared":
                slopes = slope_squared(out, mean, target, s)
            else:
                slopes = slope_entropy(out, mean, target, s, output)
            delta = [share * d for d in through(slopes, out, output)]
            for k, d in enumerate(delta):
                grad["c"][k] += d
            for j, h in enumerate(hidden):
                back = sum(d * net["v"][j][k] for k, d in enumerate(delta)) * (1 - h * h)
                grad["b"][j] += back
                for k, d in enumerate(delta):
                    grad["v"][j][k] += h * d
                for q, value in enumerate(x):
                    grad["w"][q][j] += value * back
    return found


def flat(net):
    """All numbers of a network in one list."""
    rows = [*net["w"], net["b"], *net["v"], net["c"]]
    return [number for row in rows for number in row]


def unflat(numbers, like):
    numbers = iter(numbers)
    w = [[next(numbers) for _ in row] for row in like["w"]]
    b = [next(numbers) for _ in like["b"]]
    v = [[next(numbers) for _ in row] for row in like["v"]]
    return {"w": w, "b": b, "v": v, "c": [next(numbers) for _ in like["c"]]}


def train(nets, X, targets, weight, orders, batch, *, solver, rate, s, output, loss, alpha):
    """Return the networks after one epoch for each order of the samples.

    ``weight`` is 1 on average over all samples.
    """
    first = [[0.0] * len(flat(net)) for net in nets]
    second = [[0.0] * len(flat(net)) for net in nets]
    step = 0
    for order in orders:
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            step += 1
            grads = gradients(
                nets,
                [X[i] for i in rows],
                [targets[i] for i in rows],
                [weight[i] / len(rows) for i in rows],
                s,
                output,
                loss,
                alpha,
            )
            moved = []
            for net, grad, m, v in zip(nets, grads, first, second, strict=True):
                numbers = flat(net)
                for i, g in enumerate(flat(grad)):
                    if solver == "gd":
                        numbers[i] -= rate * g
                        continue
                    m[i] = 0.9 * m[i] + 0.1 * g
                    v[i] = 0.999 * v[i] + 0.001 * g * g
                    # Kingma and Ba's shorter form of the bias correction, end of section 2.
                    held = rate * math.sqrt(1 - 0.999**step) / (1 - 0.9**step)
                    numbers[i] -= held * m[i] / (math.sqrt(v[i]) + 1e-8)
                moved.append(unflat(numbers, net))
            nets = moved
    return nets


def layer(signal, w, b):
    """Return what goes into the units of a layer, for every member and sample."""
    return [
        [
            [
                bias + sum(x * weights[unit] for x, weights in zip(row, own, strict=True))
                for unit, bias in enumerate(biases)
            ]
            for row in signal[m if len(signal) > 1 else 0]
        ]
        for m, (own, biases) in enumerate(zip(w, b, strict=True))
    ]
