"""The code blocks of README.md, CONTRIBUTING.md and docs/*.md: each of them compiles, runs or is read.

    blocks.py cpp SOURCE OUT              writes the C++ blocks as one source, whose program runs those that are programs
    blocks.py run SOURCE WORK PROGRAM MODULES FOLDER...
        runs all blocks in WORK: the program of the C++ blocks, Python with MODULES on its path, commands from the FOLDERs

Languages are sh, cpp, cmake, python, scn (lines of a scene), csv, and text for what no program reads. An indented block is
a formula. Small boxes stand for the objects that a page names, and `examples/scenes/arm.urdf` for its robots.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

OBJECTS = ["001_box", "003_cracker_box", "005_mug", "011_banana", "025_mug"]
BOX = "".join(f"v {x} {y} {z}\n" for z in (0, 0.2) for y in (0, 0.06) for x in (0, 0.1)) + """f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
"""
SCENE = """gravity 0 0 -9.81
mu 0.5
plane 0 0 1 0
body box 0.1 1e-4 1e-4 1e-4  0 0 0.5  1 0 0 0  0 0 0  0 0 0  1
 box 0.05 0.05 0.05  0 0 0  1 0 0 0
"""
POINTS = "obj,x,y,z\n005_mug,0.2,0,0\n"
# Coarse, and with all that the page's other lines ask of an asset.
COARSE = {"--tets": "300", "--quads": "100", "--grid": "auto", "--pieces": "auto", "--spheres": "16"}
SUBCOMMANDS = ["export", "inspect", "report", "status", "synthetic", "urdf", "verify", "import-volume"]
# Lines that other tests run, and which.
ELSEWHERE = {
    r"scripts/(demo|test|packages)\b": "scripts/test, its tiers",
    r"sudo apt |apt |python3 -m venv": "packages, python.WheelInstalls*",
    r"cmake |contact/build/contact|build/examples/|g\+\+ |export PATH=": "consumer.*, packages",
    r"abut-datasets (download|check|list gso)\b": "Download*",
    r"snakemake |cat OUT/status.txt": "Snakemake*",
    r"build/release/benchmarks/|PYTHONPATH=build/release/python ": "the benchmarks' own",
}
STATUS = {"abut-preprocess status OUT --json all.json": 1}  # parts are missing
BEFORE = {  # what a Python page takes for given
    "docs/python.md": "import numpy as np\ntargets, costates, X_WM = np.zeros((2, 7)), np.ones((2, 26)), np.eye(4)\n",
}
FRAGMENT = """void fragment_{number}(const dynamics::Scene& scene, const dynamics::System& system, const dynamics::MeshSource& meshes,
    const body::Geometry& mug, const body::Geometry& spoon, double density, const Pose<double>& X_AB, const Pose<double>& X_WO,
    const Pose<double>& X_WR, std::vector<double>& targets, std::vector<Vec6<double>>& wrenches, const dynamics::State& start,
    const dynamics::ControlSequence& controls, const dynamics::MatX<double>& costates, const Eigen::VectorXd& q,
    const Eigen::VectorXd& v, const Eigen::VectorXd& tau) {{
  {{
{code}
  }}
}}
"""  # with what the pages take for given
HEADERS = ["dynamics/collide/clearance", "dynamics/rollout/rollout", "dynamics/step/simulation", "dynamics/system/robot", "dynamics/system/scene_file",
           "dynamics/tree/dynamics", "dynamics/tree/hessian_products", "dynamics/tree/urdf", "witness/pieces_query"]


@dataclass
class Block:
    page: str
    line: int  # of its first line
    language: str
    text: str

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks_of(source):
    pages = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").glob("*.md"))]
    for page in pages:
        name, lines = page.relative_to(source).as_posix(), page.read_text(encoding="utf-8").splitlines()
        fence = None
        for number, line in enumerate(lines, 1):
            if line.startswith("```"):
                if fence is not None:
                    yield Block(name, fence + 1, lines[fence - 1][3:], "\n".join(lines[fence:number - 1]) + "\n")
                fence = number if fence is None else None
            elif fence is None and re.match(r"    (abut|scripts/|cmake |import |#include)|    .*;$", line):
                sys.exit(f"{name}:{number}: code in an indented block; fence it and name its language")


def is_program(block):
    return "int main(" in block.text


def write_cpp(source, out):
    blocks = [block for block in blocks_of(source) if block.language == "cpp"]
    includes = [f"#include <abut/{header}.h>" for header in HEADERS]
    for block in blocks:
        includes += re.findall(r"^#include .*$", block.text, re.M)
    text = "\n".join(sorted(set(includes))) + "\n#include <cstdlib>\nusing namespace abut;\n"
    for number, block in enumerate(blocks):
        code = f'#line {block.line} "{source}/{block.page}"\n' + re.sub(r"^#include .*$", "", block.text, flags=re.M)
        if is_program(block):
            text += f"namespace program_{number} {{\n" + code.replace("int main(", "int run(") + "}\n"
        else:
            text += FRAGMENT.format(number=number, code=code)
    text += "int main(int argc, char** argv) {\n  const int number = argc < 2 ? -1 : std::atoi(argv[1]);\n"
    for number, block in enumerate(blocks):
        if is_program(block):
            text += f"  if (number == {number}) return program_{number}::run(argc - 1, argv + 1);\n"
    out.write_text(text + "  return 2;\n}\n", encoding="utf-8")


def run(command, place, folder, environment, expected=0):
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != expected:
        sys.exit(f"{place}: {' '.join(map(str, command))}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def run_shell(block, folder, environment):
    for offset, line in enumerate(block.text.splitlines()):
        line = re.sub(r"(^|\s+)#.*$", "", line).strip()
        if not line or any(re.match(pattern, line) for pattern in ELSEWHERE):
            continue
        words, expected = line.split(), STATUS.get(line, 0)
        if not words[0].startswith("abut-"):
            sys.exit(f"{block.page}:{block.line + offset}: '{line}' is run by no test (ELSEWHERE in {__file__})")
        if words[0] == "abut-preprocess" and words[1] not in SUBCOMMANDS:
            line += "".join(f" {option} {value}" for option, value in COARSE.items() if option not in words)
        if words[0] == "abut-sim":
            line += " --steps 3"
        run(["bash", "-c", line], f"{block.page}:{block.line + offset}", folder, environment, expected)


def exact(text):
    """What a program says, without its rounding errors."""
    return re.sub(r"[\d.]+e-1\d", "0", text)


def prepare(source, work, environment):
    """A folder with all that lines of commands name."""
    shutil.rmtree(work, ignore_errors=True)
    for folder in ("DATASET", "DATA", "LINKS", "MESHES"):
        (work / folder).mkdir(parents=True)
    for mesh in (*(f"DATASET/{name}" for name in OBJECTS), "MESHES/box"):
        (work / f"{mesh}.obj").write_text(BOX)
    for link, target in {"DATA/ycb": "../DATASET", "LINKS/003_cracker_box.h5": "../OUT/003_cracker_box.h5",
                         "docs": source / "docs", "examples": source / "examples"}.items():
        (work / link).symlink_to(target)
    for robot in ("ROBOT", "fer", "arm"):
        shutil.copy(source / "examples/scenes/arm.urdf", work / f"{robot}.urdf")
    (work / "SCENE").write_text(SCENE)
    (work / "POINTS.csv").write_text(POINTS)
    command = ["abut-preprocess", "DATASET", "OUT", *(word for pair in COARSE.items() for word in pair)]
    run(command, "preparation", work, environment)


def run_all(source, work, program, modules, folders):
    environment = dict(os.environ, PATH=":".join([*folders, os.environ["PATH"]]), PYTHONPATH=modules)
    blocks = list(blocks_of(source))
    prepare(source, work, environment)
    for block in blocks:
        if block.language == "csv":
            (work / ("POSES.csv" if block.text.startswith("objA") else "MASSES.csv")).write_text(block.text)
    pages = dict.fromkeys(block.page for block in blocks)
    for page in pages:
        for language, prelude in (("python", BEFORE.get(page, "")), ("scn", SCENE + "object mug 005_mug 400  0 0 1  1 0 0 0  0 0 0  0 0 0\n")):
            own = "".join(block.text for block in blocks if (block.page, block.language) == (page, language))
            if not own:
                continue
            text = own if own.startswith("gravity") else prelude + own  # a whole scene, or lines of one
            (work / f"page.{language}").write_text(text)
            command = {"python": [sys.executable, "-B", "page.python"],
                       "scn": ["abut-sim", "page.scn", "--assets", "OUT", "--integrator", "implicit", "--steps", "3"]}
            run(command[language], page, work, environment)
    cpp = [block for block in blocks if block.language == "cpp"]
    arguments = {"README.md": ["OUT/005_mug.h5", "OUT/001_box.h5"], "docs/extending.md": [], "docs/tree.md": ["arm.urdf"]}
    for number, block in enumerate(cpp):
        if is_program(block):
            said = run([program, str(number), *arguments[block.page]], block.place, work, environment)
            after = blocks[blocks.index(block) + 1:][:1]
            if after and (after[0].page, after[0].language) == (block.page, "text") and exact(after[0].text) != exact(said):
                sys.exit(f"{after[0].place}: the program says\n{said}")
    for block in reversed(blocks):  # README.md last: it puts larger objects into MESHES
        if block.language == "sh":
            run_shell(block, work, environment)
        elif block.language not in ("cpp", "cmake", "python", "scn", "csv", "text"):
            sys.exit(f"{block.place}: a block of no language, or of one that nothing runs: '{block.language}'")
    print(f"{len(blocks)} blocks")


if sys.argv[1] == "cpp":
    write_cpp(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
else:
    run_all(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve(), *map(os.path.abspath, sys.argv[4:6]), sys.argv[6:])
