import numpy as np
import pytest
from naive import equivalent as naive

from counterpoint._kernels.overlap_tree import grow_on_boxes

ANY = 10**9
N_CELLS = [4, 1, 9, 6]


def boxes_that_part_the_space(rng, n):
    """Cut one box at random places; leave some of the parts out."""
    boxes = [[(0, k - 1) for k in N_CELLS]]
    while len(boxes) < n:
        box = boxes.pop(rng.integers(len(boxes)))
        wide = [f for f, (a, b) in enumerate(box) if a < b]
        if wide:
            f = wide[rng.integers(len(wide))]
            k = rng.integers(*box[f])
            for part in ((box[f][0], k), (k + 1, box[f][1])):
                boxes.append([*box[:f], (int(part[0]), int(part[1])), *box[f + 1 :]])
        else:
            boxes.append(box)
    return [box for box in boxes if rng.random() < 0.8] or boxes


def case(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    boxes = boxes_that_part_the_space(rng, n)
    votes = rng.dirichlet(np.full(n_classes, 0.5), len(boxes))
    return boxes, rng.uniform(0.1, 1, len(boxes)), votes, [rng.uniform(0.1, 1, k) for k in N_CELLS]


def grow(boxes, weight, votes, widths, max_leaves):
    first = np.concatenate([[0], np.cumsum([len(one) - 1 for one in widths])])
    cells = np.array(boxes, dtype=np.int32).transpose(0, 2, 1).copy()
    width = np.concatenate([*widths, [0.0]])
    return grow_on_boxes(cells, weight, votes, votes.argmax(axis=1), first, width, max_leaves)


def cut_off(boxes, weights, widths, f, k, side):
    """The parts of boxes on a side of a cut: positions, boxes, weights."""
    found = []
    for at, (box, weight) in enumerate(zip(boxes, weights, strict=True)):
        low, high = (
            (box[f][0], min(box[f][1], k)) if side == 0 else (max(box[f][0], k + 1), box[f][1])
        )
        if low <= high:
            share = sum(widths[f][low : high + 1]) / sum(widths[f][box[f][0] : box[f][1] + 1])
            found.append((at, [*box[:f], (low, high), *box[f + 1 :]], weight * share))
    return found


@pytest.mark.parametrize("max_leaves", [ANY, 5, 1])
@pytest.mark.parametrize(("n", "n_classes"), [(1, 2), (2, 2), (12, 2), (12, 4), (60, 3), (150, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_every_cut_is_the_best_and_the_heaviest_is_cut_first(seed, n, n_classes, max_leaves):
    boxes, weight, votes, widths = case(seed, n, n_classes)
    splits, label, value = grow(boxes, weight, votes, widths, max_leaves)
    waiting = {0: (range(len(boxes)), boxes, list(weight))}
    n_nodes = n_leaves = 1
    while waiting:
        # Of all that wait, the heaviest: what it makes has the next numbers.
        node = max(waiting, key=lambda k: sum(waiting[k][2]))
        origin, here, weights = waiting.pop(node)
        said = votes[list(origin)]
        total = np.array(weights) @ said
        winners = set(said.argmax(axis=1))
        if len(winners) == 1 or n_leaves == max_leaves:
            assert (splits[node] == -1).all()
            assert label[node] == (winners.pop() if len(winners) == 1 else total.argmax())
            assert value[node].argmax() == label[node]
            if total.argmax() == label[node]:
                np.testing.assert_allclose(value[node], total)
            continue
        assert label[node] == -1
        np.testing.assert_allclose(value[node], total)
        f, k, *children = splits[node]
        assert children == [n_nodes, n_nodes + 1]
        costs = naive.split_boxes(here, weights, said.tolist(), widths)
        assert costs[f, k] == pytest.approx(min(costs.values()), abs=1e-6)
        n_nodes, n_leaves = n_nodes + 2, n_leaves + 1
        for side, child in enumerate(children):
            at, parts, shares = zip(*cut_off(here, weights, widths, f, k, side), strict=True)
            waiting[child] = [origin[i] for i in at], list(parts), list(shares)
    assert len(splits) == len(label) == len(value) == n_nodes


def test_of_nodes_that_weigh_the_same_the_first_is_cut_first():
    boxes = [[(a, a), (0, 0), (b, b), (0, 5)] for a in range(4) for b in range(4)]
    votes = np.eye(2)[[(a + b) % 2 for a in range(4) for b in range(4)]]
    widths = [np.ones(k) for k in N_CELLS]
    splits, label, _ = grow(boxes, np.ones(16), votes, widths, ANY)
    inner = np.flatnonzero(label < 0)
    order = inner[np.argsort(splits[inner, 2])]
    sizes = np.array([leaves_below(splits, label, node) for node in order])
    assert sizes[0] == 16  # boxes weigh one each, and each ends in a leaf
    assert (np.diff(sizes) <= 0).all()
    for size in set(sizes):
        assert (np.diff(order[sizes == size]) > 0).all()


def leaves_below(splits, label, node):
    if label[node] >= 0:
        return 1
    return sum(leaves_below(splits, label, child) for child in splits[node, 2:])


def test_boxes_in_one_place_end_in_a_leaf():
    boxes = [[(0, 1), (0, 0), (2, 3), (0, 5)]] * 2
    votes = np.array([[0.9, 0.1], [0.2, 0.8]])
    widths = [np.ones(k) for k in N_CELLS]
    splits, label, value = grow(boxes, np.array([1.0, 2.0]), votes, widths, ANY)
    assert splits.tolist() == [[-1, -1, -1, -1]]
    assert label.tolist() == [1]
    np.testing.assert_allclose(value, [[1.3, 1.7]])
