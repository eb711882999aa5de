"""Commands, options and files that README.md, CONTRIBUTING.md and docs/*.md name are there, and the tables of
docs/scene_files.md have the words of scene files that the reader has.
Usage: names_test.py SOURCE PROGRAM..."""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
PROGRAMS = {pathlib.Path(program).name: program for program in sys.argv[2:]}
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md"))]
COMMAND = re.compile(r"(?:^|[ /])(" + "|".join(PROGRAMS) + r")( .*|$)")
FOLDERS = [path.name for path in SOURCE.iterdir() if path.is_dir() and path.name not in ("build", "out", ".git")]
FILE = re.compile(r"(?:" + "|".join(map(re.escape, FOLDERS)) + r")(?:/[\w.-]+)+/?")


def help_of(words, known={}):
    """The help of a command line's program or subcommand."""
    if words not in known:
        known[words] = subprocess.run([PROGRAMS[words[0]], *words[1:], "--help"], capture_output=True, text=True).stdout
    return known[words]


def subcommand(program, words):
    names = re.findall(r"^  ([a-z-]+) ", help_of((program,)).partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.M)
    return next(((program, word) for word in words[:1] if word in names), (program,))


def unknown_options(text):
    """Options on a command line that its program does not have."""
    match = COMMAND.search(text)
    if not match:
        return
    try:
        words = shlex.split(match[2], comments=True)
    except ValueError:
        words = match[2].split("#")[0].split()
    called = subcommand(match[1], words)
    known = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_of(called) + help_of(called[:1])))
    for word in words:
        option = word.partition("=")[0].strip("[],;")
        if re.fullmatch(r"--?[a-z][\w-]*", option) and option not in known:
            yield f"{' '.join(called)} has no {option}"


def missing_files(text):
    for path in re.sub(r"--target \S+", "", text).split():
        if FILE.fullmatch(path) and not (SOURCE / path).exists():
            yield f"{path} is not there"


def faults_of(page):
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.startswith("```")
        code = [line.strip()] if fenced or line.startswith("    ") else re.findall(r"`([^`]+)`", line)
        for text in code:
            found = [fault for part in re.split(r" (?:&&|\||;) ", text) for fault in unknown_options(part)]
            yield from (f"{page.relative_to(SOURCE)}:{number}: {fault}" for fault in (*found, *missing_files(text)))


def words_of_scenes(lines):
    """Those that the reader lists where the last word of a scene is none of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".scn") as scene:
        print(lines, "nonsense 0", file=scene, flush=True)
        said = subprocess.run([PROGRAMS["abut-sim"], scene.name], capture_output=True, text=True).stderr
    return set(re.search("there are: (.*)", said)[1].split(", "))


def faults_of_scene_words():
    body = "body a 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0\n"
    reader = (SOURCE / "runtime/dynamics/system/scene_file.cpp").read_text(encoding="utf-8")
    known = {"Entries": words_of_scenes("") | set(re.findall(r'keyword\(\) == "(\w+)"', reader)),
             "Shapes": words_of_scenes("fixed"),
             "Joints": words_of_scenes(body + "joint j") | words_of_scenes(body + "joint j fixed world 0 0 0 1 0 0 0 0 0 1")}
    sections = re.split(r"^## ", (SOURCE / "docs/scene_files.md").read_text(encoding="utf-8"), flags=re.M)
    for title, words in known.items():
        table = next(section for section in sections if section.startswith(title + "\n"))
        told = {word for row in re.findall(r"^\| (`.*?) \|", table, re.M) for word in re.findall(r"`(\w+)`", row)}
        yield from (f"docs/scene_files.md: {title}: '{word}' is in the {'page' if word in told else 'reader'} alone"
                    for word in sorted(told ^ words))


faults = [*faults_of_scene_words()] + [fault for page in PAGES for fault in faults_of(page)]
print("\n".join(faults) or f"{len(PAGES)} pages name what is there")
sys.exit(1 if faults else 0)
