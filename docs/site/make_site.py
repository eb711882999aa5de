#!/usr/bin/python3
"""The documentation as web pages, by mkdocs and Doxygen, with every link checked.

    make_site.py OUT    OUT/html, made anew; open OUT/html/index.html, or serve it for the search:
                        python3 -m http.server -d OUT/html

Fails where a link leads nowhere, a page asks the network, a page of docs/ is not in the menu (mkdocs.yml), or a public symbol
has no comment (reference.py).
"""

import base64
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

from reference import make_reference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))]
PICTURES = {".png", ".svg"}
LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")


def fail(faults):
    if faults:
        sys.exit("\n".join(f"error: {fault}" for fault in faults))


def page_of(path):
    """The page that shows a file or folder of the repository."""
    if path.suffix == ".md":
        return path.as_posix()
    if (ROOT / path).is_dir():
        return f"{path.as_posix()}/index.md"
    return path.with_suffix(".md").as_posix() if path.suffix == ".ipynb" else f"{path.as_posix()}.md"


def code(path):
    return f"~~~~\n{path.read_text(encoding='utf-8').rstrip()}\n~~~~\n"


def notebook(path, out):
    """A notebook as Markdown; its pictures are written beside `out`."""
    text = ""
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        text += f"{source}\n\n" if cell["cell_type"] == "markdown" else f"~~~~\n{source}\n~~~~\n\n"
        for output in cell.get("outputs", []):
            if "text" in output:
                text += f"~~~~\n{''.join(output['text']).rstrip()}\n~~~~\n\n"
            if "image/png" in output.get("data", {}):
                picture = out.with_name(f"{path.stem}_{number}.png")
                picture.write_bytes(base64.b64decode("".join(output["data"]["image/png"])))
                text += f"![]({picture.name})\n\n"
    return text


def content(path, out):
    """The Markdown of the page that shows a file or folder."""
    source = ROOT / path
    if path.suffix == ".md":
        # A list that follows a paragraph at once is one on GitHub; mkdocs wants a blank line between.
        return re.sub(r"(?m)^(?![-*|#> ]|\d+\.)(.+)\n(?=[-*] )", r"\1\n\n", source.read_text(encoding="utf-8"))
    if path.suffix == ".ipynb":
        return notebook(source, out)
    if source.is_dir():
        files = [file for file in sorted(source.iterdir()) if file.is_file()]
        return f"# {path.as_posix()}\n\n" + "\n".join(f"## {file.name}\n\n{code(file)}" for file in files)
    return f"# {path.as_posix()}\n\n{code(source)}"


def stage(pages_dir, wanted):
    """Writes the pages `wanted`, files and folders of the repository, and all that they link to."""
    faults, done = [], set()
    while wanted:
        path = wanted.pop()
        if path in done:
            continue
        done.add(path)
        out = pages_dir / page_of(path)
        out.parent.mkdir(parents=True, exist_ok=True)

        def link(match, path=path, out=out):
            target = (ROOT / path.parent / urllib.parse.unquote(match[2])).resolve()
            if not target.exists() or not target.is_relative_to(ROOT):
                if not (out.parent / match[2]).exists():  # a notebook's picture
                    faults.append(f"{path}: {match[2]} is not there")
                return match[0]
            target = target.relative_to(ROOT)
            if target.suffix in PICTURES:
                (pages_dir / target).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / target, pages_dir / target)
                return match[0]
            wanted.append(target)
            up = "../" * len(pathlib.PurePath(page_of(path)).parent.parts)
            return match[1] + up + page_of(target) + match[3]

        text = content(path, out)
        out.write_text(LINK.sub(link, text) if path.suffix in (".md", ".ipynb") else text, encoding="utf-8")
    fail(faults)


class Page(html.parser.HTMLParser):
    """Where a page links to, what it loads, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.ids.update(of[key] for key in ("id", "name") if of.get(key))
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
        if tag in ("script", "img", "iframe", "source") and of.get("src"):
            self.loads.append(of["src"])
        if tag == "link" and of.get("href") and of.get("rel") != "canonical":
            self.loads.append(of["href"])


def check_links(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    faults = []
    for path, page in pages.items():
        ours = path.relative_to(site).parts[0] != "api"  # links within its own pages are Doxygen's affair
        for link in page.links + page.loads if ours else page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme in ("http", "https", ""):
                    faults.append(f"{path.relative_to(site)}: loads {link}")
                continue
            start = site if parts.path.startswith("/") else path.parent
            target = (start / urllib.parse.unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            where = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                faults.append(f"{path.relative_to(site)}: {link} leads nowhere")
            elif ours and where and where not in pages[target].ids:
                faults.append(f"{path.relative_to(site)}: {link}: no such place in the page")
    fail(sorted(set(faults)))
    return len(pages)


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    site, pages_dir, config = out / "html", out / "pages", (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    menu = [path for path in re.findall(r": ([\w/.]+)$", config.partition("\nnav:")[2], re.M) if path != "api/index.html"]
    fail([f"docs/site/mkdocs.yml: {page} is not in the menu" for page in PAGES if page not in menu])
    stage(pages_dir, [pathlib.Path(path) for path in menu])
    for path in menu:
        config = re.sub(rf": {re.escape(path)}$", f": {page_of(pathlib.Path(path))}", config, flags=re.M)
    (out / "mkdocs.yml").write_text(config, encoding="utf-8")
    (pages_dir / "api").mkdir()
    (pages_dir / "api/index.html").write_text("")  # Doxygen's comes in its place
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "-f", out / "mkdocs.yml", "-d", site], check=True)
    shutil.rmtree(site / "api")
    make_reference(out, site)
    print(f"{site}/index.html: {check_links(site)} pages, every link leads somewhere, every public symbol has a comment")


main()
