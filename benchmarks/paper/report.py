"""One page of the results, with all pictures in it: a summary beside the published values, then a section each."""

import base64
import html
import os
import re

from results import PAPERS

STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6575; --line: #d9dee6; --ground: #ffffff; --shade: #f4f6f9;
        --good: #17733b; --bad: #b02a1c; --link: #1f5fbf; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --soft: #9aa5b5; --line: #343c49; --ground: #14181e; --shade: #1c222b;
          --good: #5cc98a; --bad: #ff8a7a; --link: #82b1ff; } }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--ink); background: var(--ground);
       max-width: 1180px; margin: 2em auto; padding: 0 1.5em; }
h1 { font-size: 1.7em; margin-bottom: 0.2em; } h2 { font-size: 1.25em; margin: 2.2em 0 0.3em; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
p.soft, .soft { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-size: 0.88em; margin: 0.8em 0; }
th, td { text-align: left; padding: 0.28em 0.7em; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
tr.paper th { color: var(--ink); background: var(--shade); padding-top: 0.6em; }
section { border-top: 1px solid var(--line); }
pre { background: var(--shade); padding: 0.8em 1em; overflow-x: auto; font: 12px/1.45 "DejaVu Sans Mono", monospace;
      border-radius: 4px; }
.wide { overflow-x: auto; } .wide td, .wide th { white-space: nowrap; }
figure { margin: 1em 0; } img { max-width: 100%; background: #fff; border-radius: 4px; }
"""
STATES = {"ran": ("ran", ""), "missed": ("bounds not met", "bad"), "failed": ("failed", "bad"), "skipped": ("skipped", "soft"),
          None: ("not run yet", "soft")}
TYPES = {".png": "image/png", ".svg": "image/svg+xml"}
LONGEST = 60  # lines of a table or text that the page shows


def escaped(text):
    return html.escape(str(text), quote=True)


def read(folder, name):
    try:
        return (folder / name).read_text(errors="replace")
    except OSError:
        return ""


def first_number(text):
    found = re.search(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?", text)
    return float(found[0]) if found else float("nan")


def lines_of(value, text):
    """Where in a program's output `value` may stand: the lines of its sections, or all."""
    lines = text.splitlines()
    if not value.section:
        return lines
    found, inside = [], False
    for line in lines:
        inside = re.match(value.section, line) or inside and not re.match(value.end, line)
        found += [line] if inside else []
    return found


def printed(value, text):
    """The number that the program prints of `value`; None where there is none, or several and which is not known."""
    found = [match[1] for line in lines_of(value, text) if (match := re.match(value.pattern, line))]
    return found[0] if len(found) == 1 else None


def judged(value, text):
    """What the program prints of `value`, and whether it is met: None where that is not judged."""
    number = printed(value, text)
    if number is None or not value.bound:
        return number, None
    ours, published = float(number), first_number(value.published)
    return number, ours <= published if value.bound == "<=" else ours >= published


def output(folder):
    """All that the program printed, a line's end behind each of the two."""
    return "\n".join([read(folder, "output.txt"), read(folder, "errors.txt")])


def unread(row, folder):
    """What the row's values say that the program prints, and no line or several lines have."""
    text = output(folder)
    return [value.what for value in row.values if printed(value, text) is None]


def verdict(met):
    return "" if met is None else '<span class="good">yes</span>' if met else '<span class="bad">no</span>'


def checks(result, errors):
    """What became of the row: its own bounds, or its state."""
    state = result and result["state"]
    good, bad = (len(re.findall(rf"^{word}: ", errors, re.MULTILINE)) for word in ("met", "NOT MET"))
    if state in ("ran", "missed") and good + bad:
        return f'<span class="{"bad" if bad else "good"}">{good} of {good + bad} met</span>'
    text, look = STATES[state]
    return f'<span class="{look}">{text}</span>'


def summary_rows(row, result, text, errors):
    """The lines of one result: its title spans those of its values."""
    values = row.values if result and result["state"] in ("ran", "missed") else []
    lines = [(value.what, *judged(value, text), value.published) for value in values]
    lines = lines or [((result or {}).get("why", "picture below" if values or result else ""), "", None, "")]
    span = f' rowspan="{len(lines)}"'
    seconds, commit = (f"{result['seconds']:.1f}", result["commit"]) if result and "key" in result else ("", "")
    made = ""
    for k, (what, ours, met, published) in enumerate(lines):
        head = f'<td{span}><a href="#{row.name}">{escaped(row.result)}</a></td>' if k == 0 else ""
        tail = (f'<td{span} class="number">{checks(result, errors)}</td><td{span} class="number">{seconds}</td>'
                f'<td{span} class="number">{escaped(commit)}</td>') if k == 0 else ""
        told = '<span class="bad">not printed</span>' if ours is None else escaped(ours)
        made += (f'<tr>{head}<td>{escaped(what)}</td><td class="number">{told}</td>'
                 f'<td>{escaped(published)}</td><td>{verdict(met)}</td>{tail}</tr>\n')
    return made


def table(lines, split):
    rows = [[cell.strip() for cell in split(line)] for line in lines]
    cells = ["".join(f"<{tag}>{escaped(cell)}</{tag}>" for cell in row)
             for tag, row in zip(["th"] + ["td"] * len(rows), rows)]
    return '<div class="wide"><table>' + "".join(f"<tr>{row}</tr>\n" for row in cells) + "</table></div>\n"


def kind(line):
    if line.startswith("|"):
        return "bars"
    return "commas" if line.count(",") > 1 and ", " not in line and not line.startswith("#") else "text"


def shown(text, file):
    """A program's output: its tables as tables, what is too long left to the file."""
    groups = []
    for line in text.splitlines():
        if not groups or groups[-1][0] != kind(line):
            groups.append((kind(line), []))
        groups[-1][1].append(line)
    made = ""
    for what, lines in groups:
        if len(lines) > LONGEST and what == "commas":
            made += f'<p class="soft">{len(lines) - 1:,} rows of {escaped(lines[0])}: {escaped(file)}</p>\n'
        elif what == "bars":
            made += table([line for line in lines if not line.startswith("|---")], lambda line: line.strip("|").split("|"))
        elif what == "commas":
            made += table(lines, lambda line: line.split(","))
        elif "".join(lines).strip():
            rest = f"\n... {len(lines) - LONGEST} lines more: {file}" if len(lines) > LONGEST else ""
            made += f"<pre>{escaped(chr(10).join(lines[:LONGEST]).strip(chr(10)) + rest)}</pre>\n"
    return made


def pictures(folder):
    made = ""
    for file in sorted(folder.iterdir()) if folder.exists() else []:
        if file.suffix in TYPES:
            data = base64.b64encode(file.read_bytes()).decode()
            made += (f'<figure><img alt="{escaped(file.stem)}" src="data:{TYPES[file.suffix]};base64,{data}">'
                     f'<figcaption class="soft">{escaped(file.name)}</figcaption></figure>\n')
    return made


def section(row, result, folder, text, errors):
    made = f'<section id="{row.name}"><h2>{escaped(row.paper)}, {escaped(row.result)}</h2>\n'
    if not result or "key" not in result:
        return made + f'<p class="soft">{escaped((result or {}).get("why", "not run yet"))}</p></section>\n'
    made += (f'<p class="soft"><code>{escaped(result["command"])}</code><br>{result["seconds"]:.1f} s, {escaped(result["date"])}, '
             f'programs of commit {escaped(result["commit"])}, status {result["status"]} &middot; <a href="#top">summary</a></p>\n')
    name = folder.name
    return made + shown(errors, f"{name}/errors.txt") + shown(text, f"{name}/output.txt") + pictures(folder) + "</section>\n"


def write(out, rows, full):
    """OUT/index.html of `rows`: each a row, its result (None: not run yet) and the folder that has it."""
    summary = sections = paper = ""
    for row, result, folder in rows:
        ran = result and "key" in result
        text, errors = (read(folder, "output.txt"), read(folder, "errors.txt")) if ran else ("", "")
        everything = output(folder) if ran else ""
        if row.paper != paper:
            paper = row.paper
            summary += f'<tr class="paper"><th colspan="8">{escaped(paper)} <span class="soft">{escaped(PAPERS[paper])}</span></th></tr>\n'
        summary += summary_rows(row, result, everything, errors)
        sections += section(row, result, folder, text, errors)
    page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Abut: published results</title><style>{STYLE}</style></head>
<body id="top"><h1>Published results, made again</h1>
<p class="soft">{"Full." if full else "Quick: fewer problems than the papers have."}
<em>Met</em>: ours at most, or at least, the paper's number, whose objects and machine may be others.
<em>Own bounds</em>: those that the program itself holds to.</p>
<table><tr><th>result</th><th>quantity</th><th>ours</th><th>published</th><th>met</th><th>own bounds</th><th>seconds</th><th>commit</th></tr>
{summary}</table>
{sections}</body></html>
"""
    part = out / ".index.html"
    part.write_text(page)
    os.replace(part, out / "index.html")
