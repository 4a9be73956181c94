"""A diagram written for people and for other programs: rules, SQL, Python.

Rules and SQL cut the diagram where ways meet: a block is what can be asked without coming to a
question that others lead to as well, which is a small tree.
"""

import numpy as np
from numpy.typing import NDArray

from counterpoint._quoting import python_value, sql_name, sql_value
from counterpoint.trees.diagrams.structure import DecisionDiagram
from counterpoint.trees.rules.rule import Condition, Rule, write_rule
from counterpoint.trees.structure import round_down


def way_of(diagram: DecisionDiagram, x) -> Rule:
    """Return the questions that one sample is asked, put together."""
    row = diagram._read(np.asarray(x, dtype=np.float64)[None])[0]
    node, way = diagram.root, []
    while node >= 0:
        above = bool(row[diagram.feature[node]] > diagram.threshold[node])
        way.append((node, above))
        node = int((diagram.high if above else diagram.low)[node])
    label = -1 - node
    weight = np.zeros(len(diagram.classes))
    weight[label] = 1.0
    conditions = _conditions(diagram, way, diagram.threshold)
    return write_rule(conditions, diagram.classes[label], weight, 1.0, 1.0, label)


def _conditions(diagram, way, cuts) -> tuple[Condition, ...]:
    """Put what a way asks of a column together; columns in the order they are asked for."""
    edges: dict[int, list[float]] = {}
    for node, above in way:
        low, high = edges.setdefault(int(diagram.feature[node]), [-np.inf, np.inf])
        cut = float(cuts[node])
        edges[int(diagram.feature[node])] = (
            [max(low, cut), high] if above else [low, min(high, cut)]
        )
    names = diagram.names
    return tuple(
        Condition(feature=f, name=names[f], lower=low, upper=high)
        for f, (low, high) in edges.items()
    )


def _heads(diagram) -> dict[int, int]:
    """Give a number to questions at which blocks begin: the first, and those several lead to."""
    ends = np.concatenate([diagram.low, diagram.high])
    met = np.bincount(ends[ends >= 0], minlength=diagram.n_nodes) > 1
    met[:1] = True
    return {int(node): number for number, node in enumerate(np.flatnonzero(met), start=1)}


def to_rules(diagram: DecisionDiagram) -> str:
    """Write a rule for every way through every block."""
    if diagram.root < 0:
        return f"always {diagram.classes[-1 - diagram.root]}\n"
    heads = _heads(diagram)
    lines = []
    for head, number in heads.items():
        lines.append(f"block {number}")
        stack: list[tuple[int, list]] = [(head, [])]
        while stack:
            node, way = stack.pop()
            if node < 0 or (way and node in heads):
                then = diagram.classes[-1 - node] if node < 0 else f"block {heads[node]}"
                asked = " and ".join(map(str, _conditions(diagram, way, diagram.threshold)))
                lines.append(f"  if {asked} then {then}")
                continue
            stack.append((int(diagram.high[node]), [*way, (node, True)]))
            stack.append((int(diagram.low[node]), [*way, (node, False)]))
    return "\n".join(lines) + "\n"


def doubles(diagram: DecisionDiagram) -> NDArray:
    """Return, for each threshold, the greatest double that is not above it once it is rounded."""
    if np.dtype(diagram.dtype) == np.float64:
        return diagram.threshold
    below = round_down(diagram.threshold, np.float32)
    above = np.nextafter(below, np.float32(np.inf))
    # Up to half of the way to the next one numbers are rounded down; half itself to the even one.
    half = (below.astype(np.float64) + above.astype(np.float64)) / 2
    even = below.view(np.int32) % 2 == 0
    return np.where(np.isfinite(above), np.where(even, half, np.nextafter(half, -np.inf)), below)


def to_sql(diagram: DecisionDiagram, table: str, column: str) -> str:
    """Write blocks as expressions: each step goes from the number of a block to that of the next.

    A block answers with the number of a later one, or with -1 - k for class k. Blocks as many steps
    from the first are one CASE, which those of the step before feed.
    """
    heads, cuts = _heads(diagram), doubles(diagram)
    answers = "\n".join(
        f"    WHEN {-1 - k} THEN {sql_value(label)}" for k, label in enumerate(diagram.classes)
    )
    step = "1" if diagram.root >= 0 else str(diagram.root)
    query = f"(SELECT {step} AS step)"
    for layer in _layers(diagram, heads):
        lines = []
        for head in layer["begin"]:
            lines.append(f"    WHEN {heads[head]} THEN {_case(diagram, head, heads, cuts)}")
        lines += [f"    WHEN {number} THEN {number}" for number in layer["pass"]]
        query = "(SELECT CASE step\n" + "\n".join(lines) + f"\n  END AS step FROM {query})"
    return (
        f"SELECT *, (SELECT CASE step\n{answers}\n  END FROM {query}) AS {sql_name(column)}\n"
        f"FROM {sql_name(table)};\n"
    )


def _layers(diagram, heads):
    """Blocks by the most steps that lead to them, and what later steps need of earlier ones."""
    steps = dict.fromkeys(heads, 0)
    leads_to: dict[int, set[int]] = {}
    for head in heads:  # beginnings before ends
        leads_to[head] = _ends(diagram, head, heads)
        for end in leads_to[head]:
            if end >= 0:
                steps[end] = max(steps[end], steps[head] + 1)
    layers: list[dict[str, list[int]]] = []
    waiting: set[int] = set()
    for step in range(max(steps.values(), default=-1) + 1):
        begin = [head for head in heads if steps[head] == step]
        layers.append({"begin": begin, "pass": sorted(waiting - {heads[h] for h in begin})})
        for head in begin:
            waiting |= {heads[end] if end >= 0 else end for end in leads_to[head]}
        waiting -= {heads[head] for head in begin}
    return layers


def _ends(diagram, head, heads):
    ends, stack = set(), [int(diagram.low[head]), int(diagram.high[head])]
    while stack:
        node = stack.pop()
        if node < 0 or node in heads:
            ends.add(node)
        else:
            stack += [int(diagram.low[node]), int(diagram.high[node])]
    return ends


def _case(diagram, node, heads, cuts, *, inside=False):
    if node < 0 or (inside and node in heads):
        return str(node if node < 0 else heads[node])
    name = sql_name(diagram.names[diagram.feature[node]])
    low, high = (
        _case(diagram, int(end), heads, cuts, inside=True)
        for end in (diagram.low[node], diagram.high[node])
    )
    return f"CASE WHEN {name} <= {sql_value(float(cuts[node]))} THEN {low} ELSE {high} END"


_PYTHON = '''\
"""A decision diagram: predict({{"column": number, ...}}) says the class of one row.

QUESTIONS holds column, limit, and the next question for numbers up to the limit and above it;
-1 - k is an answer, class k.
"""

CLASSES = {classes}
QUESTIONS = [
{questions}]


def predict(row):
    """Return the class of a row, a mapping from names of columns to numbers."""
    at = {root}
    while at >= 0:
        column, limit, low, high = QUESTIONS[at]
        at = low if row[column] <= limit else high
    return CLASSES[-1 - at]
'''


def to_python(diagram: DecisionDiagram) -> str:
    """Write the diagram as a table, and a loop that follows it."""
    names = diagram.names
    rows = zip(diagram.feature, doubles(diagram), diagram.low, diagram.high, strict=True)
    questions = "".join(
        f"    ({python_value(names[f])}, {float(cut)!r}, {low}, {high}),\n"
        for f, cut, low, high in rows
    )
    classes = ", ".join(python_value(label) for label in diagram.classes)
    return _PYTHON.format(classes=f"[{classes}]", questions=questions, root=diagram.root)
