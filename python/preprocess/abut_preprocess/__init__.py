"""Contact assets from meshes: the pipeline `abut-preprocess` as a function.

    import abut_preprocess
    made = abut_preprocess.preprocess("MESHES", "OUT", tets=[300, 1000], grid="auto", progress=print)
    [object.status for object in made.objects]

The pipeline is a program of its own, under the GPL and the AGPL (CGAL, TetGen), which runs beside Python: this module
finds it in its own folder or on the PATH.
"""

from __future__ import annotations

import functools
import json
import numbers
import os
import pathlib
import shutil
import signal
import subprocess
from typing import IO, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

PathLike = Union[str, "os.PathLike[str]"]
PROGRAM = "abut-preprocess"


class Error(Exception):
    """What this module raises."""


class InvalidInput(Error, ValueError):
    """Meshes, a folder or a setting that cannot be used; the program's message."""


class ProgramError(Error, OSError):
    """The program is missing, or ended as it should not."""


class Setting(NamedTuple):
    """What is told of a setting of `preprocess`: a keyword, underscores in place of hyphens."""

    type: str  # of its words
    default: str
    group: str
    help: str
    flag: bool  # True or False
    repeats: bool  # a list gives it several times


class Event(NamedTuple):
    """What `progress` is called with."""

    object: str
    stage: str  # start, check, read, close, hull, ..., write; empty once it is finished
    status: str  # once it is finished: "ok", "ok, mended", "up to date", "up to date, mended", "failed", ...
    reason: str  # why it failed, or was made again
    finished: int  # objects by now
    count: int  # objects of the run


class Object(NamedTuple):
    """What became of one object."""

    name: str
    asset: pathlib.Path
    status: str  # as of Event
    reason: str
    warnings: List[str]
    seconds: float
    details: Dict[str, Any]  # all that is known of it: abut-preprocess --json


class Result(NamedTuple):
    """Of a run."""

    objects: List[Object]  # in the dataset's order
    notes: List[str]  # what was left out and why
    seconds: float

    @property
    def failed(self) -> List[Object]:
        return [object for object in self.objects if object.status in ("failed", "interrupted")]


def program() -> str:
    """The path of the program. Raises ProgramError where there is none."""
    own = pathlib.Path(__file__).parent / PROGRAM
    found = str(own) if own.exists() else shutil.which(PROGRAM)
    if found is None:
        raise ProgramError(f"the program {PROGRAM} is neither beside abut_preprocess nor on the PATH; "
                           "cmake --install puts it in the prefix's bin, the Debian package abut-preprocess in /usr/bin")
    return found


@functools.lru_cache(maxsize=None)
def settings() -> Dict[str, Setting]:
    """Keywords of `preprocess` by name, as the program declares them."""
    said = subprocess.run([program(), "settings"], check=True, capture_output=True, text=True).stdout
    own = {"json", "quiet", "events"}
    return {row.pop("name").replace("-", "_"): Setting(**row) for row in json.loads(said) if row["name"] not in own}


def _word(value: Any) -> Optional[str]:
    """A number, word or path as the program takes it; None of anything else."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return str(value) if isinstance(value, (str, numbers.Real)) and not isinstance(value, bool) else None


def _words(name: str, value: Any) -> List[str]:
    """A keyword as the program takes it."""
    known = settings()
    if name not in known:
        raise TypeError(f"preprocess: there is no setting '{name}'; there are: {', '.join(known)}")
    option, setting = "--" + name.replace("_", "-"), known[name]
    if setting.flag:
        if not isinstance(value, bool):
            raise TypeError(f"preprocess: {name} must be True or False, not {type(value).__name__}")
        return [option] if value else []
    single = isinstance(value, (str, bytes, numbers.Real, os.PathLike))
    try:
        words = [_word(one) for one in ([value] if single else value)]
    except TypeError:  # it has no items
        words = [None]
    if not words and not setting.repeats:
        raise TypeError(f"preprocess: {name} is empty; leave it out for the default")
    if None in words:
        raise TypeError(f"preprocess: {name} must be {setting.type}: numbers or words, not {value!r}")
    return [f"{option}={word}" for word in words] if setting.repeats else [f"{option}={','.join(map(str, words))}"]


def _arguments(dataset: PathLike, out: PathLike, given: Dict[str, Any]) -> List[str]:
    paths = []
    for name, path in (("dataset", dataset), ("out", out)):
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"preprocess: {name} must be a path, not {type(path).__name__}")
        word = os.fspath(path)
        if "\0" in word:
            raise InvalidInput(f"preprocess: {name} has a character that no path can have")
        paths.append(os.path.abspath(word))
    return paths + [word for name, value in given.items() for word in _words(name, value)]


def _events(lines: IO[str], progress: Optional[Callable[[Event], Any]]) -> Optional[Dict[str, Any]]:
    """Tells `progress` of what the program says; what it says at its end."""
    count = finished = 0
    for line in lines:
        said = json.loads(line)
        if said["event"] == "end":
            return said
        if said["event"] == "objects":
            count = len(said["names"])
            continue
        finished += said["event"] == "finished"
        if progress is not None:
            progress(Event(said["object"], said.get("stage", ""), said.get("status", ""), said.get("reason", ""),
                           finished, count))
    return None


def _result(end: Dict[str, Any]) -> Result:
    objects = [Object(one["name"], pathlib.Path(one["asset_file"]), one["status"], one["reason"], one["warnings"],
                      one["seconds"], one) for one in end["objects"]]
    return Result(objects, end["notes"], end["seconds"])


def preprocess(
    dataset: PathLike, out: PathLike, *, progress: Optional[Callable[[Event], Any]] = None, **given: Any
) -> Result:
    """Makes the asset OUT/<object>.h5 of every object of a folder of meshes, or of one mesh.

    `progress` is called with an Event as objects enter their stages and are finished; what it raises ends the run. So
    does Ctrl-C: all the run's processes are gone when KeyboardInterrupt arrives, and what was finished stays. A
    second run skips what is up to date. `given`: settings().

    An object's trouble stays its own: `Result.failed` has it. Raises InvalidInput with the program's message for a
    folder without meshes, a folder that cannot be written and settings out of range, TypeError for unknown ones,
    ProgramError where the program is missing or dies.
    """
    command = [program(), *_arguments(dataset, out, given), "--events"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                          errors="replace", start_new_session=True) as running:
        assert running.stdout is not None and running.stderr is not None
        try:
            end = _events(running.stdout, progress)
            complaint = running.stderr.read()
            code = running.wait()
        except BaseException:
            running.send_signal(signal.SIGINT)
            _wait(running)
            raise
    if code == 2:
        raise InvalidInput(complaint.strip().replace(f"{PROGRAM}: error: ", ""))
    if end is None or code not in (0, 1):
        raise ProgramError(f"{PROGRAM} ended with code {code}: {complaint.strip()}")
    return _result(end)


def _wait(running: "subprocess.Popen[str]") -> None:
    """Until the program, which has been asked to stop, has stopped its children and itself."""
    try:
        running.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        running.kill()
        running.communicate()


def _documented() -> Iterator[Tuple[str, str]]:
    for name, setting in settings().items():
        default = f" = {setting.default}" if setting.default else ""
        yield name, f"{name}{default} ({'True or False' if setting.flag else setting.type}): {setting.help}"


def help_settings() -> str:
    """What `preprocess` takes, a line each."""
    return "\n".join(text for _, text in _documented())
