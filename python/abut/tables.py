"""Settings of estimators, distance models, contact models, integrators and solvers, from the library's own tables."""

from __future__ import annotations

import re
import threading
from typing import Any, Callable, Dict, List, NamedTuple, TypeVar

from . import _abut


class Setting(NamedTuple):
    """What is told of a setting."""

    name: str
    unit: str
    default: str
    range: str
    help: str


class Row(NamedTuple):
    """One of a table."""

    name: str
    summary: str
    settings: List[Setting]
    capabilities: Dict[str, Any]


_TABLES = _abut.tables()


def _rows(table: str) -> Dict[str, Row]:
    return {
        name: Row(name, summary, [Setting(*setting) for setting in settings], capabilities)
        for name, (summary, settings, capabilities) in _TABLES[table].items()
    }


def estimators() -> Dict[str, Row]:
    """Estimators of witness-point derivatives by name; the first is the default."""
    return _rows("estimators")


def distance_models() -> Dict[str, Row]:
    """What stands for a body when distances are asked, by name; the first is the default. Capabilities: `methods` of
    derivatives, each with its settings, the first the default; `has_smoothed`. `settings` are the first method's.
    """
    rows = _rows("distance_models")
    for row in rows.values():
        methods = row.capabilities["methods"].items()
        row.capabilities["methods"] = {name: [Setting(*setting) for setting in settings] for name, settings in methods}
    return rows


def models() -> Dict[str, Row]:
    """Contact models by name."""
    return _rows("models")


def integrators() -> Dict[str, Row]:
    """Integrators of systems by name; the first is the default."""
    return _rows("integrators")


def solvers() -> Dict[str, Row]:
    """Contact solvers of systems by name; the first is the default."""
    return _rows("solvers")


def soft_distance_settings() -> List[Setting]:
    """Settings of soft distances."""
    return [Setting(*setting) for setting in _TABLES["soft_distance"]]


def _lines(settings: List[Setting], indent: str) -> str:
    return "".join(
        f"{indent}{s.name} = {s.default}{' ' + s.unit if s.unit else ''} ({s.range}): {s.help}\n" for s in settings
    )


_Function = TypeVar("_Function", bound=Callable[..., Any])


def documented(rows: Callable[[], Any]) -> Callable[[_Function], _Function]:
    """Adds the settings of rows() to a function's docstring."""

    def add(function: _Function) -> _Function:
        found, text = rows(), "\n    Settings:\n"
        if isinstance(found, dict):
            for row in found.values():
                text += f"      {row.name!r}: {row.summary}\n" + _lines(row.settings, "        ")
        else:
            text += _lines(found, "      ")
        function.__doc__ = (function.__doc__ or "").rstrip() + "\n" + text
        return function

    return add


def with_distance_models(function: _Function) -> _Function:
    """Adds the rows of distance_models() to a function's docstring, and the settings that are not those of estimators."""
    text = "\n    Distance models:\n"
    for row in distance_models().values():
        text += f"      {row.name!r}: {row.summary}\n        methods: {', '.join(row.capabilities['methods'])}\n"
        for method, settings in row.capabilities["methods"].items():
            if method not in _TABLES["estimators"]:
                text += _lines(settings, "          ")
            elif method == next(iter(row.capabilities["methods"])):  # with any method the same
                known = [setting[0] for setting in _TABLES["estimators"][method][1]]
                text += _lines([setting for setting in settings if setting.name not in known], "          ")
    function.__doc__ = (function.__doc__ or "").rstrip() + "\n" + text
    return function


def said_by(function: str, error: Exception) -> Exception:
    """The error with the function that was called in front, in the place of what that calls."""
    return type(error)(f"{function}: " + re.sub(r"^[A-Za-z_]+: ", "", str(error)))


_Handle = TypeVar("_Handle")


def made(function: str, kind: Callable[..., _Handle], *names: Any, **keywords: Any) -> _Handle:
    """kind(*names, **keywords) for a function that was called, which errors name."""
    try:
        return kind(*names, **keywords)
    except (_abut.InvalidInput, TypeError) as error:
        raise said_by(function, error) from None


_last = threading.local()  # key and handle


def kept(function: str, kind: Callable[..., _Handle], *names: Any, threads: Any, settings: Dict[str, Any]) -> _Handle:
    """made(function, kind, *names, threads=threads, **settings), or the last of these that this thread made: what it is
    asked does not change its answers, and the memory that it needs is there.
    """
    values = [*names, threads, *settings.values()]
    if not all(value is None or isinstance(value, (str, int, float)) for value in values):
        return made(function, kind, *names, threads=threads, **settings)
    key = (kind, *settings, *((type(value), value) for value in values))
    if getattr(_last, "key", None) != key:
        _last.handle, _last.key = made(function, kind, *names, threads=threads, **settings), key
    return _last.handle


def without_settings(function: str, argument: str, handle: _Handle, settings: Dict[str, Any]) -> _Handle:
    """The handle that was given as an argument. Raises InvalidInput for settings beside it."""
    if settings:
        raise _abut.InvalidInput(f"{function}: {argument}: a handle has its own settings; '{next(iter(settings))}' goes "
                                 "with a name")
    return handle
