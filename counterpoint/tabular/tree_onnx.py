"""A tree on a table as an ONNX model, for runtimes in any language."""

from typing import Any

import numpy as np

from counterpoint.tabular.table_tree import Question, TableTree
from counterpoint.trees.structure import class_shares

_OPSETS = {"": 17, "ai.onnx.ml": 3}
_IR_VERSION = 8  # goes with these opsets: older runtimes read it too


def to_onnx(tree: TableTree, *, name: str = "counterpoint_tree") -> Any:
    """Return an ONNX model that says of every row what the tree says.

    It takes a tensor of shape (n_samples, 1) for each column that the tree asks about: doubles,
    NaN where missing, or strings, "" where missing. It gives "label" and, for classes,
    "probabilities". Questions are answered in double precision, so the answers are the tree's
    own; needs the package onnx.

    Parameters
    ----------
    tree : TableTree
    name : str
        Of the graph.

    Returns
    -------
    onnx.ModelProto
        ``SerializeToString()`` gives the bytes of a file.
    """
    try:
        import onnx
        from onnx import TensorProto, helper
    except ImportError as error:
        raise ValueError("ONNX files need onnx (pip install 'counterpoint[onnx]').") from error
    if not tree.asked:
        raise ValueError("The tree always says the same, and ONNX has no model without inputs.")
    kinds = _kinds(tree)
    nodes: list[Any] = []
    constants: list[Any] = []
    places: dict[Question, int] = {}
    for question in tree.questions:
        if question is None or question in places:
            continue
        k = places[question] = len(places)
        values = f"column_{tree.asked.index(question.column)}"
        if kinds[question.column] == "number":
            nodes += _ask_number(helper, TensorProto, constants, question, values, k)
        else:
            yes = [str(value) for value in question.values]
            yes += [""] if question.kind == "missing" or question.gap else []
            nodes.append(
                helper.make_node(
                    "LabelEncoder", [values], [f"yes_{k}"], domain="ai.onnx.ml",
                    keys_strings=yes, values_floats=[1.0] * len(yes), default_float=0.0,
                )
            )  # fmt: skip
    answers = [f"yes_{k}" for k in range(len(places))]
    nodes.append(helper.make_node("Concat", answers, ["answers"], axis=1))
    nodes += _tree_nodes(helper, TensorProto, constants, tree, places)
    inputs = [
        helper.make_tensor_value_info(
            f"column_{k}",
            TensorProto.DOUBLE if kinds[column] == "number" else TensorProto.STRING,
            [None, 1],
            doc_string=column,
        )
        for k, column in enumerate(tree.asked)
    ]
    graph = helper.make_graph(nodes, name, inputs, _outputs(helper, TensorProto, tree), constants)
    model = helper.make_model(
        graph,
        producer_name="counterpoint",
        ir_version=_IR_VERSION,
        opset_imports=[helper.make_opsetid(domain, v) for domain, v in _OPSETS.items()],
    )
    helper.set_model_props(model, {f"column_{k}": c for k, c in enumerate(tree.asked)})
    onnx.checker.check_model(model)
    return model


def onnx_inputs(tree: TableTree, X: Any) -> dict[str, Any]:
    """Return the rows of a frame as the model of :func:`to_onnx` takes them."""
    from counterpoint.datasets.columns import floats, objects
    from counterpoint.tabular.table_tree import columns_of

    columns, kinds = columns_of(X, tree.columns), _kinds(tree)
    fed = {}
    for k, name in enumerate(tree.asked):
        column = columns[name]
        if kinds[name] == "number":
            fed[f"column_{k}"] = floats(column)[:, None]
        else:
            texts = ["" if v != v else str(v) for v in objects(column)]
            fed[f"column_{k}"] = np.array(texts, dtype=object)[:, None]
    return fed


def _kinds(tree: TableTree) -> dict[str, str]:
    """Return which columns are numbers; one that is asked only for gaps counts as text."""
    kinds = dict.fromkeys(tree.asked, "text")
    for question in tree.questions:
        if question is not None and question.kind == "number":
            kinds[question.column] = "number"
    return kinds


def _ask_number(
    helper: Any, proto: Any, constants: list[Any], question: Question, values: str, k: int
) -> list[Any]:
    """Return nodes that give 1.0 for yes; a comparison with NaN is never true."""
    if question.kind == "missing":
        return [
            helper.make_node("IsNaN", [values], [f"is_{k}"]),
            helper.make_node("Cast", [f"is_{k}"], [f"yes_{k}"], to=proto.FLOAT),
        ]
    constants.append(helper.make_tensor(f"cut_{k}", proto.DOUBLE, [1], [question.cut]))
    test = "Greater" if question.gap else "LessOrEqual"
    nodes = [helper.make_node(test, [values, f"cut_{k}"], [f"test_{k}"])]
    if question.gap:  # a gap is not above the cut either
        nodes.append(helper.make_node("Not", [f"test_{k}"], [f"is_{k}"]))
    name = f"is_{k}" if question.gap else f"test_{k}"
    return [*nodes, helper.make_node("Cast", [name], [f"yes_{k}"], to=proto.FLOAT)]


def _tree_nodes(
    helper: Any, proto: Any, constants: list[Any], tree: TableTree, places: dict[Question, int]
) -> list[Any]:
    """Return the tree as a regressor: for classes of their shares and, last, of the place of one.

    TreeEnsembleClassifier is not used: with two classes runtimes choose the label by rules of
    their own.
    """
    arrays = tree.tree
    n, leaf = arrays.node_count, arrays.is_leaf
    leaves = np.flatnonzero(leaf)
    weights = arrays.value[leaves]
    if tree.classes is not None:
        weights = np.column_stack([class_shares(arrays.value)[leaves], arrays.label[leaves]])
    n_targets = weights.shape[1]
    one = helper.make_node(
        "TreeEnsembleRegressor", ["answers"], ["label" if tree.classes is None else "said"],
        domain="ai.onnx.ml",
        nodes_treeids=[0] * n,
        nodes_nodeids=list(range(n)),
        nodes_modes=["LEAF" if leaf[k] else "BRANCH_GT" for k in range(n)],
        nodes_featureids=[0 if q is None else places[q] for q in tree.questions],
        nodes_values=[0.5] * n,
        nodes_truenodeids=[0 if leaf[k] else int(arrays.children_left[k]) for k in range(n)],
        nodes_falsenodeids=[0 if leaf[k] else int(arrays.children_right[k]) for k in range(n)],
        n_targets=n_targets,
        target_treeids=[0] * weights.size,
        target_nodeids=np.repeat(leaves, n_targets).tolist(),
        target_ids=list(range(n_targets)) * len(leaves),
        target_weights=weights.ravel().tolist(),
    )  # fmt: skip
    if tree.classes is None:
        return [one]
    constants.append(helper.make_tensor("parts", proto.INT64, [2], [n_targets - 1, 1]))
    constants.append(helper.make_tensor("last_axis", proto.INT64, [1], [1]))
    labels = (
        {"values_int64s": [int(label) for label in tree.classes]}
        if tree.classes.dtype.kind in "iu"
        else {"values_strings": [str(label) for label in tree.classes]}
    )
    return [
        one,
        helper.make_node("Split", ["said", "parts"], ["probabilities", "place"], axis=1),
        helper.make_node("Squeeze", ["place", "last_axis"], ["flat"]),
        helper.make_node("Cast", ["flat"], ["code"], to=proto.INT64),
        helper.make_node(
            "LabelEncoder", ["code"], ["label"], domain="ai.onnx.ml",
            keys_int64s=list(range(len(tree.classes))), **labels,
        ),
    ]  # fmt: skip


def _outputs(helper: Any, proto: Any, tree: TableTree) -> list[Any]:
    if tree.classes is None:
        return [helper.make_tensor_value_info("label", proto.FLOAT, [None, 1])]
    kind = proto.INT64 if tree.classes.dtype.kind in "iu" else proto.STRING
    return [
        helper.make_tensor_value_info("label", kind, [None]),
        helper.make_tensor_value_info("probabilities", proto.FLOAT, [None, len(tree.classes)]),
    ]
