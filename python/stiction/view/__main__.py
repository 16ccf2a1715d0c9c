"""`stiction view`, or python -m stiction.view."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from collections.abc import Sequence

EPILOG = """
examples:
  stiction view scenarios/box_on_slope.yaml
  stiction view scenarios/go2_on_slope.yaml --set ground.slope='20 deg'
  stiction view scenarios/quadruped_foot_slips.yaml --html slips.html
"""


def _parser() -> argparse.ArgumentParser:
    from stiction import __version__

    parser = argparse.ArgumentParser(
        prog="stiction view", description="Shows a scenario in 3-D in the browser; every move of a slider asks again.",
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", metavar="SCENARIO", help="the scenario file (YAML)")
    parser.add_argument("--set", metavar="PATH=VALUE", action="append", default=[],
                        help="replaces one entry, as for check")
    parser.add_argument("--question", metavar="Q", help="asks this instead of the scenario's question")
    parser.add_argument("--package-path", metavar="DIR", action="append", default=[],
                        help="folder searched for package:// files")
    parser.add_argument("--html", metavar="OUT", help="only writes one HTML file that works offline, without sliders")
    parser.add_argument("--port", type=int, default=8080, help="8080, or the next free one; 0: any")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets other machines see it and move its sliders")
    parser.add_argument("--no-browser", action="store_true", help="only says where it is")
    parser.add_argument("--version", action="version", version=f"stiction {__version__}")
    return parser


def _run(arguments: argparse.Namespace) -> int:
    from stiction import InputError, check
    from stiction.view import View, show

    changes = {}
    for change in arguments.set:
        path, equals, value = change.partition("=")
        if not path or not equals:
            raise InputError(f"--set: want PATH=VALUE such as contacts.left_toe.mu=0.3, got '{change}'", "--set")
        changes[path] = value
    given = dict(set=changes, question=arguments.question, package_path=arguments.package_path)
    if arguments.html:
        show(check(arguments.scenario, **given)).save(arguments.html)
        return 0
    with View(arguments.scenario, port=arguments.port, host=arguments.host, **given) as view:
        print(f"{view.answer.report.verdict.value}; shown at {view.url} until Ctrl-C", flush=True)
        if not arguments.no_browser and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            webbrowser.open(view.url)
        try:
            view.server.sleep_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except (ModuleNotFoundError, ValueError, OSError) as error:  # InputError is a ValueError
        print(f"stiction: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
