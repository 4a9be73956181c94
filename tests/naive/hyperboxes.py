"""Slow twins of the hyperbox kernels: one box, one side at a time.

A box is a pair of lists (lower, upper). A side that is not known has lower = inf, upper = -inf:
the union with a known side is that side.
"""

INF = float("inf")


def unknown(lower, upper):
    return lower > upper


def sides_meet(v, w, other_v, other_w):
    """Whether what lies inside of two sides meets; a side of length 0 lies inside of itself."""
    if unknown(v, w) or unknown(other_v, other_w):
        return True
    if v == w and other_v == other_w:
        return v == other_v
    if v == w:
        return other_v < v < other_w
    if other_v == other_w:
        return v < other_v < w
    return max(v, other_v) < min(w, other_w)


def overlap(box, other):
    return all(sides_meet(*sides) for sides in zip(*box[:2], *other[:2]))


def union(box, other):
    lower = [min(a, b) for a, b in zip(box[0], other[0])]
    upper = [max(a, b) for a, b in zip(box[1], other[1])]
    return lower, upper


def fits(box, theta):
    return all(unknown(v, w) or w - v <= theta for v, w in zip(*box))


def gap(sample, box, gamma):
    """How far a sample, itself a box, sticks out of a box: the worst side, times gamma."""
    worst = 0.0
    for x_low, x_high, v, w, g in zip(*sample, *box[:2], gamma):
        if unknown(x_low, x_high) or unknown(v, w):
            continue
        worst = max(worst, (x_high - w) * g, (v - x_low) * g)
    return worst


def membership(sample, box, gamma):
    return 1.0 - min(1.0, gap(sample, box, gamma))


def centre_distance(sample, box):
    return sum(
        abs((x_low + x_high) / 2 - (v + w) / 2)
        for x_low, x_high, v, w in zip(*sample, *box)
        if not unknown(x_low, x_high) and not unknown(v, w)
    )


def class_scores(samples, boxes, codes, certainty, gamma, n_classes):
    """Return per sample and class: the best score, and the distance to that box's centre."""
    scores, distances = [], []
    for sample in samples:
        best, nearest = [0.0] * n_classes, [INF] * n_classes
        for box, code, factor in zip(boxes, codes, certainty):
            score = factor * membership(sample, box, gamma)
            distance = centre_distance(sample, box)
            if score > best[code]:
                best[code], nearest[code] = score, distance
            elif score == best[code] > 0:
                nearest[code] = min(nearest[code], distance)
        scores.append(best)
        distances.append(nearest)
    return scores, distances


def class_gaps(samples, boxes, codes, gamma, n_classes):
    """Return per sample and class how far the nearest box is."""
    gaps = [[INF] * n_classes for _ in samples]
    for row, sample in zip(gaps, samples):
        for box, code in zip(boxes, codes):
            row[code] = min(row[code], gap(sample, box, gamma))
    return gaps


def moves(a, b):
    """Return the ways to take two sides [low, high] apart: how much is cut off, what is left."""
    (low, high), (other_low, other_high) = a, b
    cut_below, cut_above = other_high - low, high - other_low
    if low < other_low and other_high < high:  # b inside of a
        return [(cut_below, (other_high, high), b), (cut_above, (low, other_low), b)]
    if other_low < low and high < other_high:  # a inside of b
        return [(cut_below, a, (other_low, low)), (cut_above, a, (high, other_high))]
    start, stop = max(low, other_low), min(high, other_high)
    middle = (start + stop) / 2
    if low <= other_low and high <= other_high:
        return [(stop - start, (low, middle), (middle, other_high))]
    return [(stop - start, (middle, high), (other_low, middle))]


def contract(box, other):
    """Take two boxes apart, along the side on which they overlap least."""
    ways = []
    for i, (a, b) in enumerate(zip(zip(*box, strict=True), zip(*other, strict=True), strict=True)):
        if not (unknown(*a) or unknown(*b) or (a[0] == a[1] and b[0] == b[1])):
            ways += [(much, i, left, right) for much, left, right in moves(a, b)]
    if ways:
        _, i, left, right = min(ways, key=lambda way: way[0])  # the first of equals
        box[0][i], box[1][i] = left
        other[0][i], other[1][i] = right


def online(samples, codes, theta, gamma, boxes=()):
    """Learn samples one after the other; ``boxes`` are [lower, upper, code, count]."""
    boxes = [[list(b[0]), list(b[1]), b[2], b[3]] for b in boxes]
    for sample, code in zip(samples, codes):
        own = [b for b in boxes if b[2] == code]
        inside = [b for b in own if covers(b, sample)]
        if inside:
            inside[0][3] += 1
            continue
        able = [b for b in own if fits(union(b, sample), theta)]
        if able:
            box = min(able, key=lambda b: gap(sample, b, gamma))  # the first of equals
            box[0], box[1] = union(box, sample)
            box[3] += 1
        else:
            box = [list(sample[0]), list(sample[1]), code, 1]
            boxes.append(box)
            if all(unknown(v, w) or v == w for v, w in zip(*sample)):
                continue  # a point takes no room from others
        for other in boxes:
            if other[2] != code and overlap(box[:2], other[:2]):
                contract(box[:2], other[:2])
    return boxes


def covers(box, sample):
    """Whether the union with the sample is the box itself."""
    return union(box, sample) == (list(box[0]), list(box[1]))


def similarity(box, other, gamma, kind):
    short = long = stick_out = stick_in = 0.0
    for v, w, ov, ow, g in zip(*box[:2], *other[:2], gamma):
        if unknown(v, w) or unknown(ov, ow):
            continue
        short = max(short, (ov - w) * g, (v - ow) * g)
        long = max(long, (ow - v) * g, (w - ov) * g)
        stick_out = max(stick_out, (ow - w) * g, (v - ov) * g)
        stick_in = max(stick_in, (w - ow) * g, (ov - v) * g)
    distance = {
        "short": short,
        "long": long,
        "mid-max": min(stick_out, stick_in),
        "mid-min": max(stick_out, stick_in),
    }[kind]
    return 1.0 - min(1.0, distance)


def agglomerate(samples, codes, theta, gamma, min_similarity, kind, counts=None):
    """Merge boxes in passes; return them as [lower, upper, code, count]."""
    counts = [1] * len(codes) if counts is None else counts
    boxes = [[list(s[0]), list(s[1]), c, n] for s, c, n in zip(samples, codes, counts)]
    failed = set()  # pairs of boxes, by identity, that could not be merged
    keep = list(boxes)  # so that no identity is used twice
    merged = True
    while merged:
        merged = False
        i = 0
        while i < len(boxes):
            k = partner(boxes, i, theta, gamma, min_similarity, kind, failed)
            if k is None:
                i += 1
                continue
            first, second = boxes[min(i, k)], boxes[max(i, k)]
            new = [*union(first, second), first[2], first[3] + second[3]]
            keep.append(new)
            boxes[min(i, k)] = new
            del boxes[max(i, k)]
            merged = True
            i += k > i
    return boxes


def partner(boxes, i, theta, gamma, min_similarity, kind, failed):
    """Return the most similar box that box i can join, the last of equals, or None."""
    box = boxes[i]
    able = []
    for k, other in enumerate(boxes):
        if k == i or other[2] != box[2] or frozenset((id(box), id(other))) in failed:
            continue
        alike = similarity(box, other, gamma, kind)
        if alike >= min_similarity:
            able.append((-alike, -k))
    for _, minus_k in sorted(able):
        k = -minus_k
        both = union(box, boxes[k])
        if fits(both, theta) and not any(b[2] != box[2] and overlap(both, b) for b in boxes):
            return k
        failed.add(frozenset((id(box), id(boxes[k]))))
    return None


def agglomerate_best_first(samples, codes, theta, gamma, min_similarity, kind, counts=None):
    """Merge the most similar two boxes that can be, again and again; of equals the last pair."""
    counts = [1] * len(codes) if counts is None else counts
    boxes = [[list(s[0]), list(s[1]), c, n] for s, c, n in zip(samples, codes, counts)]
    while True:
        best = None
        for i in range(len(boxes)):
            for k in range(i + 1, len(boxes)):
                both = union(boxes[i], boxes[k])
                alike = similarity(boxes[i], boxes[k], gamma, kind)
                if boxes[i][2] != boxes[k][2] or alike < min_similarity or not fits(both, theta):
                    continue
                if any(b[2] != boxes[i][2] and overlap(both, b) for b in boxes):
                    continue
                if best is None or alike >= best[0]:
                    best = alike, i, k, both
        if best is None:
            return boxes
        _, i, k, both = best
        boxes[i] = [*both, boxes[i][2], boxes[i][3] + boxes[k][3]]
        del boxes[k]
