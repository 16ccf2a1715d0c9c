"""Live 3-D view in the browser, and self-contained HTML files: docs/view.md. Needs pip install 'stiction[view]'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._session import Answer as Answer, Session as Session, Slider as Slider

if TYPE_CHECKING:
    from ._view import Shown as Shown, View as View, export_html as export_html, show as show


def __getattr__(name: str) -> Any:
    """What needs viser is loaded when it is asked for: a session needs nothing but stiction."""
    if name not in ("Shown", "View", "export_html", "show"):
        raise AttributeError(f"module 'stiction.view' has no attribute '{name}'")
    try:
        from . import _view
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("stiction"):
            raise
        raise ModuleNotFoundError(
            f"the live view wants the Python package {missing.name}, which is not there: pip install 'stiction[view]' "
            "(or pip install viser pycollada)",
            name=missing.name,
        ) from None
    return getattr(_view, name)
