"""Every notebook runs from its first cell to its last, from the root of the repository and beside itself."""

import ast
import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


def run(path):
    """Code cells in one namespace, as a kernel runs them; a last expression is shown, as HTML where it has one."""
    names, shown = {"__name__": "__main__"}, []
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]), path.name)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    return names, shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_runs(path, monkeypatch, capsys):
    monkeypatch.chdir(path.parent)
    names, shown = run(path)
    printed = capsys.readouterr().out
    assert printed or shown
    if path.stem == "best_grasps":
        assert len(names["order"]) == 10 and names["held"].verdict == "holds"
    if path.stem == "posture_sweep":
        assert names["verdict"][10, 10] == 1 and (names["verdict"] == 0).any() and "HOLDS" in shown[1]
    if path.stem == "what_a_proof_is":
        assert (names["report"].verdict, names["failing"].verdict) == ("holds", "fails") and "UNDECIDED" in shown[-1]


def test_there_are_three():
    assert len(NOTEBOOKS) >= 3
