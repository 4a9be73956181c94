"""The dual of a support vector machine: the two samples that violate most, again and again."""


def train(values, side, limit, tol):
    """Minimise a'Qa / 2 - sum(a), Q_ij = y_i y_j K_ij, 0 <= a <= limit, y'a = 0; a and offset."""
    n = len(side)
    alpha = [0.0] * n
    while True:
        # How a function without an offset would have to rise at each sample to reach its label.
        short = [
            side[i] - sum(alpha[j] * side[j] * values[i][j] for j in range(n)) for i in range(n)
        ]
        rises = [i for i in range(n) if (alpha[i] < limit[i] if side[i] > 0 else alpha[i] > 0)]
        falls = [i for i in range(n) if (alpha[i] > 0 if side[i] > 0 else alpha[i] < limit[i])]
        up, down = max(rises, key=lambda i: short[i]), min(falls, key=lambda i: short[i])
        if short[up] - short[down] < tol:
            break
        curve = max(values[up][up] + values[down][down] - 2 * values[up][down], 1e-12)
        step = (short[up] - short[down]) / curve
        room_up = limit[up] - alpha[up] if side[up] > 0 else alpha[up]
        room_down = alpha[down] if side[down] > 0 else limit[down] - alpha[down]
        step = min(step, room_up, room_down)
        alpha[up] = limit[up] if step == room_up and side[up] > 0 else alpha[up] + side[up] * step
        alpha[down] = (
            limit[down] if step == room_down and side[down] < 0 else alpha[down] - side[down] * step
        )
        for i in (up, down):
            if alpha[i] < 1e-15:
                alpha[i] = 0.0
    free = [short[i] for i in range(n) if 0 < alpha[i] < limit[i]]
    return alpha, sum(free) / len(free) if free else (short[up] + short[down]) / 2
