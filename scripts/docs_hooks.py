"""Hooks of mkdocs.yml: pages that are made of other files, and links that leave docs/.

README.md becomes the first page; what pages link to outside of docs/ is brought along below `files/`; the page of the C++ API leads to
what Doxygen made, which scripts/docs.sh puts into build/docs/cpp.
"""
import ast
import os
import re

from mkdocs.structure.files import File

LINK = re.compile(r"(\]\(|src=\")([^)\s\"#]+)([^)\"]*)")
CPP_PAGE = """# C++ API

Made by Doxygen from the headers in `include/stiction`: [classes and functions](../cpp/index.html).

```cmake
find_package(stiction REQUIRED)
target_link_libraries(mine PRIVATE stiction::stiction)
```
"""


def outside(page, target):
    """The file in the source tree that a link of docs/PAGE is about, if it is outside of docs/."""
    if re.match(r"[a-z]+:", target) or target.startswith("/"):
        return None
    path = os.path.normpath(os.path.join("docs", os.path.dirname(page), target))
    return None if path.startswith("docs" + os.sep) or path.startswith("..") else path


def rewritten(text, page, found):
    """Links out of docs/ lead to `files/`; folders to a list that the repository has and the site has not."""
    depth = page.count("/")

    def replace(match):
        path = outside(page, match[2])
        if path is None or not os.path.exists(path):
            return match[0]
        if os.path.isdir(path):
            return match[1] + "../" * depth + "gallery.md" if match[1] == "](" else match[0]
        found.add(path)
        name = path + ".txt" if path.endswith((".md", "LICENSE")) else path  # not pages of their own
        return match[1] + "../" * depth + "files/" + name + match[3]

    return LINK.sub(replace, text)


def readme():
    with open("README.md", encoding="utf-8") as file:
        text = file.read()
    return LINK.sub(lambda m: m[1] + (m[2] if re.match(r"[a-z]+:", m[2]) else m[2].removeprefix("docs/") if m[2].startswith("docs/")
                                      else "../" + m[2]) + m[3], text)


def python_page():
    """Everything that the package exports, in the order in which it does."""
    with open("python/stiction/__init__.py", encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names = [alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
             if alias.asname and not alias.asname.startswith("_")]
    names += [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")]
    return "# Python API\n\nHow to use it: [Python](../python.md).\n\n" + "".join(
        f"::: stiction.{name}\n    options: {{show_root_heading: true, show_root_full_path: false}}\n\n" for name in names)


def on_files(files, config):
    pages = {"index.md": readme(), "api/python.md": python_page(), "api/cpp.md": CPP_PAGE}
    found = set()
    for file in list(files):
        if file.src_uri.endswith(".md"):
            rewritten(file.content_string, file.src_uri, found)
    rewritten(pages["index.md"], "index.md", found)
    for uri, text in pages.items():
        files.append(File.generated(config, uri, content=text))
    for path in sorted(found):
        name = path + ".txt" if path.endswith((".md", "LICENSE")) else path
        files.append(File.generated(config, "files/" + name, abs_src_path=os.path.abspath(path)))
    for folder, _, names in os.walk("build/docs/cpp"):
        for name in names:
            path = os.path.join(folder, name)
            files.append(File.generated(config, os.path.relpath(path, "build/docs"), abs_src_path=os.path.abspath(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    return rewritten(markdown, page.file.src_uri, set())
