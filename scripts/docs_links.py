#!/usr/bin/env python3
"""Says which links of the documentation lead nowhere, and which pages the site's navigation lacks or invents (exit 1)."""
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
GENERATED = {"index.md", "api/python.md", "api/cpp.md"}  # by scripts/docs_hooks.py


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchors(text):
    """Of headings, as code hosts and the site's table of contents spell them."""
    found = {}
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
    return {slug if k == 0 else f"{slug}-{k}" for slug, count in found.items() for k in range(count + 1)}


def flaws_of(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
        if not os.path.exists(path):
            yield f"{page}: {target} is not there"
        elif anchor and path.endswith(".md") and anchor not in anchors(read(path)):
            yield f"{page}: {target} is no heading"


def main():
    # The check itself must be able to fail.
    bad = "# A b\n[x](no_such.md) [y](#a-b) [z](#c) `[code](is_not.md)`\n"
    assert len([f for f in flaws_of("README.md", bad)]) >= 1 and "a-b" in anchors(bad)
    pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
    for folder, _, names in os.walk("docs"):
        pages += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".md")]
    flaws = [flaw for page in pages for flaw in flaws_of(page, read(page))]
    known = {os.path.relpath(page, "docs") for page in pages if page.startswith("docs")} | GENERATED
    listed = set(re.findall(r"([\w/]+\.md)\s*$", read("mkdocs.yml").split("\nnav:")[1], re.M))
    flaws += [f"mkdocs.yml: {page} is not in nav" for page in sorted(known - listed)]
    flaws += [f"mkdocs.yml: {page} of nav is not there" for page in sorted(listed - known)]
    print("\n".join(flaws))
    print(f"{len(pages)} pages, {len(flaws)} flaws")
    return 1 if flaws else 0


if __name__ == "__main__":
    sys.exit(main())
