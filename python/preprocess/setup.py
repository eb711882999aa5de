"""The version of abut_preprocess is the library's; the rest is in pyproject.toml."""

import pathlib

from setuptools import setup

setup(version=(pathlib.Path(__file__).resolve().parents[2] / "runtime" / "VERSION").read_text().strip())
