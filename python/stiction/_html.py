"""Reports in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._stiction import Report

_COLOURS = {"holds": "#1a7f37", "fails": "#cf222e", "undecided": "#9a6700"}


def _bar(share: float) -> str:
    width = 100 * min(max(share, 0.0), 1.0)
    return (
        '<div style="width:8em;border:1px solid #8888;display:inline-block">'
        f'<div style="width:{width:.1f}%;height:0.7em;background:#57606a"></div></div> {100 * share:.0f} %'
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    cells = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>{cells}</table>"


def report_html(report: Report) -> str:
    """Verdict, sentence, contacts, margins and efforts."""
    verdict = report.verdict.value
    parts = [
        f"<div><b>{escape(report.name or report.question)}</b>: "
        f'<b style="color:{_COLOURS[verdict]}">{verdict.upper()}</b><br>{escape(report.summary)}</div>'
    ]
    contacts = [
        [escape(c.name), c.state.value, f"{c.normal_force:.4g}", _bar(c.utilisation)] for c in report.contacts
    ]
    parts.append(_table(["contact", "state", "normal [N]", "friction in use"], contacts))
    margins = [
        [escape(m.name), f"{m.value:.4g}" if m.value == m.value else m.state.value.replace("_", " ")]
        for m in report.margins.values()
    ]
    parts.append(_table(["margin", "value"], margins))
    efforts = [[escape(name), f"{value:.4g}"] for name, value in report.efforts.items()]
    if efforts:
        parts.append(f"<details><summary>efforts</summary>{_table(['motor', 'N m or N'], efforts)}</details>")
    parts += [f"<div>⚠ {escape(warning)}</div>" for warning in report.warnings]
    return "".join(parts)
