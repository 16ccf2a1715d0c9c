#!/usr/bin/env bash
# Builds the documentation site, build/docs/site, from docs/, README.md, the headers and the Python wheel in dist. Every warning is an error.
# Usage: scripts/docs.sh BUILD_DIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$1/docs
command -v doxygen >/dev/null || { echo "docs: want doxygen (Debian, Ubuntu: apt-get install doxygen)" >&2; exit 1; }
if ! .deps/docs/bin/python -c 'import material, mkdocstrings' 2>/dev/null; then
  echo "docs: installing MkDocs and its theme into .deps/docs"
  python3 -m venv .deps/docs
  .deps/docs/bin/pip install --quiet --require-virtualenv -r requirements-docs.txt
fi
rm -rf "$out"
mkdir -p "$out/python"
python3 -m zipfile -e dist/stiction-*.whl "$out/python"   # with the stubs of its compiled part
(cat scripts/Doxyfile; echo "OUTPUT_DIRECTORY = $out"; echo "HTML_OUTPUT = cpp") | doxygen -
NO_MKDOCS_2_WARNING=1 .deps/docs/bin/mkdocs build --quiet --strict --site-dir "$out/site"
echo "docs: $(find "$out/site" -name '*.html' | wc -l) pages, begin with $out/site/index.html"
