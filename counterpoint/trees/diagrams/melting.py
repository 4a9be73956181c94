"""From an ensemble of trees to a diagram: tree by tree, with equal ends kept once.

A state is what is known when the first t trees are done: the leads of classes over one another, and
for free diagrams what is known of the columns that later trees ask for. A whole range of leads
has the same further questions and answers; the range is found on the way back, so that a state
within one that is known is never worked out (Abio et al. 2012 do so for sums of weighted flags).
"""

from bisect import bisect_right
from itertools import combinations

import numpy as np

from counterpoint.trees.equivalent.exact import Packed

# States that may be worked out for each node that a diagram may have.
_STATES_A_NODE = 2
_BEYOND = 2**62


class TooLargeError(Exception):
    """More nodes, or states, than allowed."""


class Nodes:
    """Questions, each kept once; numbered from 0 as they come, ends before beginnings."""

    def __init__(self, most: int):
        self._most = most
        self._number: dict[tuple, int] = {}

    def ask(self, column: int, cut: int, low: int, high: int) -> int:
        """Return the number of a question; one with the same end on both sides is not asked."""
        if low == high:
            return low
        key = column, cut, low, high
        number = self._number.setdefault(key, len(self._number))
        if number >= self._most:
            raise TooLargeError
        return number

    def below(self, root: int) -> tuple[list[tuple], int]:
        """Return what can be reached from a question, renumbered: beginnings before ends."""
        if root < 0:
            return [], root
        listed = list(self._number)
        place = {root: 0}
        # Ends were numbered before beginnings, so the other way round all come in order.
        reached = np.zeros(root + 1, dtype=bool)
        reached[root] = True
        for number in range(root, -1, -1):
            if reached[number]:
                place[number] = len(place) - (number == root)
                for end in listed[number][2:]:
                    if end >= 0:
                        reached[end] = True
        order = sorted(place, key=place.__getitem__)
        out = [
            (*listed[number][:2], *(e if e < 0 else place[e] for e in listed[number][2:]))
            for number in order
        ]
        return out, 0


class Melting:
    """The states of an ensemble, worked out one below the other."""

    def __init__(self, packed: Packed, *, free: bool, max_nodes: int):
        self._packed, self._free = packed, free
        self.nodes = Nodes(max_nodes)
        self._most_states = _STATES_A_NODE * max_nodes
        # In the order of the ensemble: sums that are not exact are its own, number by number.
        self._roots = [int(packed.roots[t]) for t in packed.order]
        self._splits = packed.nodes.tolist()
        table = packed.table
        self._pairs = list(combinations(range(table.shape[1]), 2))
        pairs = np.array(self._pairs, dtype=np.int64).reshape(-1, 2)
        self._leads = (table[:, pairs[:, 0]] - table[:, pairs[:, 1]]).tolist()
        self._exact = packed.exact.tolist()
        self._bounds = self._decided_from()
        self._asked = self._asked_from()
        self._plans: dict = {}
        self._found: dict = {}
        self._points: dict = {}
        self._n_states = 0

    def _leaf_rows(self, root):
        out: set[int] = set()
        stack = [root]
        while stack:
            f, k, left, right = self._splits[stack.pop()]
            if f < 0:
                out.add(k)
            else:
                stack += [left, right]
        return sorted(out)

    def _decided_from(self):
        """By trees done and class, the leads over others with which the class cannot lose."""
        table, slack = self._packed.table, self._packed.slack
        n_classes = table.shape[1]
        rest = np.zeros((n_classes, n_classes), dtype=object)
        every = []
        for root in [None, *self._roots[::-1]]:
            if root is not None:
                rows = table[self._leaf_rows(root)]
                rest = rest + (rows[:, :, None] - rows[:, None, :]).min(axis=0)
            bounds = []
            for winner in range(n_classes):
                low, high = [-_BEYOND] * len(self._pairs), [_BEYOND] * len(self._pairs)
                for p, (a, b) in enumerate(self._pairs):
                    if winner in (a, b):
                        other = b if winner == a else a
                        # Of equals, the first class; sums that may be off have to be clear.
                        need = slack + 1 if slack else int(winner > other)
                        need -= int(rest[winner, other])
                        if winner == a:
                            low[p] = need
                        else:
                            high[p] = -need
                bounds.append((tuple(low), tuple(high)))
            every.append(bounds)
        return every[::-1]

    def _asked_from(self):
        """By trees done and column, the cuts that the trees to come ask for."""
        every: list[dict] = [{}]
        seen: set = set()
        for root in self._roots[::-1]:
            stack = [root]
            while stack:
                f, k, left, right = self._splits[stack.pop()]
                if f >= 0:
                    seen.add((f, k))
                    stack += [left, right]
            columns: dict = {}
            for f, k in sorted(seen):
                columns.setdefault(f, []).append(k)
            every.append(columns)
        return every[::-1]

    def run(self) -> tuple[list[tuple], int]:
        """Work out the first state; returns column, cut, low, high by node, and the root."""
        start = self._packed.start
        lead = tuple(int(start[a] - start[b]) for a, b in self._pairs)
        first = (0, (), lead, (0.0,) * len(start))
        found = self._look_up(first)
        stack = [] if found is not None else [self._open(first)]
        while stack:
            state, plan, ends, low, high, certain = frame = stack[-1]
            if len(ends) < len(plan[0]):
                after = self._after(state, plan[0][len(ends)])
                found = self._look_up(after)
                if found is None:
                    stack.append(self._open(after))
                    continue
                self._take(frame, found)
                continue
            found = self._close(state, plan, ends, low, high, certain[0])
            stack.pop()
            if stack:
                self._take(stack[-1], found)
        return self.nodes.below(found[0])

    def _open(self, state):
        self._n_states += 1
        if self._n_states > self._most_states:
            raise TooLargeError
        n = len(self._pairs)
        return state, self._plan(*state[:2]), [], [-_BEYOND] * n, [_BEYOND] * n, [True]

    def _after(self, state, leaf):
        t, _, lead, score = state
        row, known = leaf
        lead = tuple(map(int.__add__, lead, self._leads[row]))
        # Only sums that may be off are asked for number by number.
        if self._packed.slack:
            score = tuple(map(float.__add__, score, self._exact[row]))
        return t + 1, known, lead, score

    def _take(self, frame, found):
        """Note the end of one leaf: leads with another end there are not of this state."""
        _, plan, ends, low, high, certain = frame
        end, low_end, high_end, sure = found
        shift = self._leads[plan[0][len(ends)][0]]
        for p, step in enumerate(shift):
            low[p] = max(low[p], low_end[p] - step)
            high[p] = min(high[p], high_end[p] - step)
        certain[0] &= sure
        ends.append(end)

    def _look_up(self, state):
        t, known, lead, score = state
        for winner, (low, high) in enumerate(self._bounds[t]):
            if all(a <= x <= b for a, x, b in zip(low, lead, high, strict=True)):
                return -1 - winner, low, high, True
        if t == len(self._roots):
            # Too near for sums that may be off: the ensemble's own sum tells.
            total = [s + o for s, o in zip(score, self._packed.offset.tolist(), strict=True)]
            return -1 - total.index(max(total)), lead, lead, False
        found = self._found.get((t, known))
        if found is not None and (range_ := found.find(lead)) is not None:
            return *range_, True
        return self._points.get(state)

    def _close(self, state, plan, ends, low, high, certain):
        """Put the questions of one tree before the ends of its leaves."""
        _, asked, root = plan
        made: list[int] = []
        for column, cut, left, right in asked:  # ends before beginnings
            sides = [ends[s] if s >= 0 else made[-1 - s] for s in (left, right)]
            made.append(self.nodes.ask(column, cut, *sides))
        end = ends[root] if root >= 0 else made[-1 - root]
        if not certain:
            # Somewhere below near sums were told apart: only the same sum has the same end.
            self._points[state] = end, state[2], state[2], False
            return self._points[state]
        low, high = tuple(low), tuple(high)
        found = self._found.get(state[:2])
        if found is None:
            found = self._found[state[:2]] = _Line() if len(low) == 1 else _Boxes(len(low))
        found.add(end, low, high)
        return end, low, high, True

    def _plan(self, t, known):
        """List leaves of tree t that can be reached, with what is known then, and its questions."""
        plan = self._plans.get((t, known))
        if plan is None:
            leaves: list[tuple] = []
            asked: list[tuple] = []
            box = {f: (first, last) for f, first, last in known}
            root = self._walk(self._roots[t], box, t + 1, leaves, asked)
            plan = self._plans[t, known] = leaves, asked, root
        return plan

    def _walk(self, node, box, t, leaves, asked):
        f, k, left, right = self._splits[node]
        if f < 0:
            leaves.append((k, self._rest_of(box, t) if self._free else ()))
            return len(leaves) - 1
        boxes = box, box
        if self._free:
            first, last = box.get(f, (0, _BEYOND))  # cells that it may be in
            if last <= k:
                return self._walk(left, box, t, leaves, asked)
            if first > k:
                return self._walk(right, box, t, leaves, asked)
            boxes = box | {f: (first, k)}, box | {f: (k + 1, last)}
        low = self._walk(left, boxes[0], t, leaves, asked)
        high = self._walk(right, boxes[1], t, leaves, asked)
        asked.append((f, k, low, high))
        return -len(asked)

    def _rest_of(self, box, t):
        """Put what is known in terms of the cuts that trees from t on ask for."""
        rest = []
        for f, (first, last) in sorted(box.items()):
            cuts = self._asked[t].get(f)
            if cuts is None:
                continue
            below = bisect_right(cuts, first - 1)  # cuts that x is above
            above = bisect_right(cuts, last - 1)  # the first cut that x is not above
            if below or above < len(cuts):
                low = cuts[below - 1] + 1 if below else 0
                rest.append((f, low, cuts[above] if above < len(cuts) else _BEYOND))
        return tuple(rest)


class _Line:
    """Ranges of one lead, which do not overlap, and the end of each."""

    def __init__(self):
        self._lows: list[int] = []
        self._found: list[tuple] = []

    def add(self, end, low, high):
        at = bisect_right(self._lows, low[0])
        self._lows.insert(at, low[0])
        self._found.insert(at, (end, low, high))

    def find(self, lead):
        at = bisect_right(self._lows, lead[0]) - 1
        if at < 0 or self._found[at][2][0] < lead[0]:
            return None
        return self._found[at]


class _Boxes:
    """Ranges of several leads, and the end of each."""

    def __init__(self, n_pairs):
        self._low, self._high = np.empty((2, n_pairs, 8), dtype=np.int64)
        self._found: list[tuple] = []

    def add(self, end, low, high):
        n = len(self._found)
        if n == self._low.shape[1]:
            self._low, self._high = (
                np.concatenate([edges, np.empty_like(edges)], axis=1)
                for edges in (self._low, self._high)
            )
        self._low[:, n], self._high[:, n] = low, high
        self._found.append((end, low, high))

    def find(self, lead):
        n = len(self._found)
        held = np.flatnonzero((self._low[0, :n] <= lead[0]) & (self._high[0, :n] >= lead[0]))
        for low, high, x in zip(self._low[1:], self._high[1:], lead[1:], strict=True):
            if not len(held):
                return None
            held = held[(low[held] <= x) & (high[held] >= x)]
        return self._found[held[0]] if len(held) else None
