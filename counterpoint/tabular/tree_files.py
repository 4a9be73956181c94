"""A tree on a table written for others to run: an SQL expression, a Python function.

Both give the same answers as the tree on every row, gaps and values never seen included. What comes
from the data (names of columns, categories, labels) is quoted, never pasted.
"""

from collections.abc import Mapping, Sequence

from counterpoint._quoting import python_value, sql_name, sql_value
from counterpoint._text import visible
from counterpoint.tabular.small_tree import rules_of
from counterpoint.tabular.table_tree import Question, TableTree
from counterpoint.trees.structure import class_shares

_INDENT = "  "


def to_sql(tree: TableTree, *, table: str = "data", column: str = "prediction") -> str:
    """Return a query that says of every row of a table what the tree says.

    The expression is standard SQL: ``CASE``, comparisons and ``IS NULL``. Numbers have to be
    columns of numbers, gaps ``NULL``.

    Parameters
    ----------
    tree : TableTree
    table, column : str
        Names to use for the table and for the column that comes out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.tabular import explain
    >>> from counterpoint.tabular.tree_files import to_sql
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X, y = X[["petal length (cm)"]], y > 0
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> print(to_sql(explain(forest, X, y, max_leaves=2).table_tree, table="flowers").rstrip())
    SELECT *, CASE
      WHEN "petal length (cm)" <= 2.35
      THEN FALSE  -- 385 of 1155 rows, 100 %
      ELSE TRUE  -- 770 of 1155 rows, 100 %
    END AS "prediction"
    FROM "flowers";
    """
    if tree.questions[0] is None:
        body = [f"{sql_value(tree.says()[0])}"]
    else:
        body = _case(tree, 0, _INDENT)
    body[0] = f"SELECT *, {body[0].lstrip()}"
    body[-1] = f"{body[-1].removeprefix(_INDENT)} AS {sql_name(column)}"
    lines = [line.removeprefix(_INDENT) for line in body]
    return "\n".join([*lines, f"FROM {sql_name(table)};"]) + "\n"


def _case(tree: TableTree, node: int, indent: str) -> list[str]:
    question = tree.questions[node]
    assert question is not None
    deeper = indent + _INDENT
    lines = [f"{indent}CASE", f"{deeper}WHEN {_sql_question(question)}"]
    children = tree.tree.children_left[node], tree.tree.children_right[node]
    for word, child in zip(("THEN", "ELSE"), children, strict=True):
        if tree.questions[child] is None:
            value = sql_value(tree.says()[child])
            lines.append(f"{deeper}{word} {value}  -- {_support(tree, child)}")
        else:
            nested = _case(tree, int(child), deeper)
            nested[0] = f"{deeper}{word} CASE"
            lines += nested
    return [*lines, f"{indent}END"]


def _support(tree: TableTree, node: int) -> str:
    arrays = tree.tree
    rows, total = arrays.weighted_n_node_samples[[node, 0]]
    if tree.classes is None:
        return f"{rows:.6g} of {total:.6g} rows"
    sure = class_shares(arrays.value)[node].max()
    return f"{rows:.6g} of {total:.6g} rows, {100 * sure:.0f} %"


def _sql_question(question: Question) -> str:
    name = sql_name(question.column)
    if question.kind == "missing":
        return f"{name} IS NULL"
    if question.kind == "number":
        test = f"{name} <= {sql_value(question.cut)}"
    else:
        values = [sql_value(value) for value in question.values]
        test = f"{name} = {values[0]}" if len(values) == 1 else f"{name} IN ({', '.join(values)})"
    # A comparison with NULL is not true: it takes the branch for no.
    return f"{test} OR {name} IS NULL" if question.gap else test


# -- Python ------------------------------------------------------------------------------------

_PYTHON = '''\
"""{head}

    predict({{"column": value, ...}})  ->  what the tree says of one row

Runs on its own, with Python 3.9 or newer. As a program it reads CSV with a header, its fields
divided by any of , ; | or tabs, and writes a line for every row: python {file} < data.csv
"""

MISSING = {missing}  # texts that stand for no value, as do None and NaN
COLUMNS = {columns}


def _number(value):
    """Return a value as a number, None where it is missing."""
    if value is None or (isinstance(value, str) and (not value.strip() or value in MISSING)):
        return None
    value = float(value)
    return value if value == value else None


def _amount(value, comma):
    """Return a number that is written with a unit or with divided thousands."""
    if isinstance(value, str) and value.strip() and value not in MISSING:
        text = "".join(c for c in value if c in "0123456789+-.,eE" or c == "\u2212")
        text = text.replace("\u2212", "-").strip("eE")
        text = text.replace(".", "").replace(",", ".") if comma else text.replace(",", "")
        return float(text)
    return _number(value)


def _text(value):
    """Return a category as text, None where it is missing; 1 and 1.0 are the same."""
    if value is None or value != value or (isinstance(value, str) and value in MISSING):
        return None
    if isinstance(value, str):
        return value or None
    if not isinstance(value, bool) and hasattr(value, "__float__") and float(value).is_integer():
        return str(int(value))
    return str(value)


def predict(row):
    """Return what the tree says of a row, a dict by names of columns."""
{body}


if __name__ == "__main__":
    import csv
    import sys

    lines = list(sys.stdin)
    lines[:1] = [line.lstrip("\\ufeff") for line in lines[:1]]
    headers = {{mark: next(csv.reader(lines, delimiter=mark), []) for mark in ",;\\t|"}}
    mark = max(headers, key=lambda mark: len(set(COLUMNS) & set(headers[mark])))
    absent = [name for name in COLUMNS if name not in headers[mark]]
    if absent:
        sys.exit("The header has no " + ", ".join(map(repr, absent)) + ".")
    for row in csv.DictReader(lines, delimiter=mark):
        print(predict(row))
'''


def to_python(
    tree: TableTree,
    *,
    missing: Sequence[str] = (),
    forms: Mapping[str, str] | None = None,
    title: str = "",
    file: str = "tree.py",
) -> str:
    """Return a module with a function ``predict`` that says of a row what the tree says.

    Parameters
    ----------
    tree : TableTree
    missing : sequence of str
        Texts that stand for no value, beside the empty one.
    forms : mapping of str to str, default=None
        How numbers of a column are written, if not plainly, as an explanation tells it.
    title, file : str
        What it is, and what it will be called, for its docstring.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.tabular import explain
    >>> from counterpoint.tabular.tree_files import to_python
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> scope = {"__name__": "tree"}
    >>> exec(to_python(explain(forest, X, y).table_tree), scope)
    >>> scope["predict"]({"petal length (cm)": 1.4, "petal width (cm)": 0.2})
    0
    """
    head = _in_docstring(title or "One tree that stands for a model.")
    return _PYTHON.format(
        head=head,
        file=_in_docstring(file),
        missing=repr(sorted({str(text) for text in missing})),
        columns=ascii(tree.asked),
        body="\n".join(_if(tree, 0, " " * 4, forms or {})),
    )


def _in_docstring(text: str) -> str:
    return visible(" ".join(text.split())).replace("\\", "/").replace('"', "'")


def _if(tree: TableTree, node: int, indent: str, forms: Mapping[str, str]) -> list[str]:
    question = tree.questions[node]
    if question is None:
        return [f"{indent}return {python_value(tree.says()[node])}  # {_support(tree, node)}"]
    lines = []
    if question.kind == "number":
        form = forms.get(question.column)
        read = f"row.get({question.column!a})"
        plain, comma = f"_number({read})", (form or "").startswith(",")
        lines.append(f"{indent}value = {plain if not form else f'_amount({read}, {comma})'}")
        yes = f"value is None or value <= {python_value(question.cut)}"
        no = f"value is not None and value <= {python_value(question.cut)}"
        test = yes if question.gap else no
    else:
        texts = all(isinstance(value, str) for value in question.values)
        read = f"row.get({question.column!a})"
        lines.append(f"{indent}value = _text({read})" if texts else f"{indent}value = {read}")
        values = ", ".join(python_value(value) for value in question.values)
        test = "value is None" if question.kind == "missing" else f"value in ({values},)"
        if question.kind == "category" and question.gap:
            test = f"value is None or {test}"
    lines.append(f"{indent}if {test}:")
    lines += _if(tree, int(tree.tree.children_left[node]), indent + " " * 4, forms)
    return [*lines, *_if(tree, int(tree.tree.children_right[node]), indent, forms)]


def to_rules(tree: TableTree) -> str:
    """Return the rules of a tree as text, a rule a line."""
    return "\n".join(rules_of(tree)) + "\n"
