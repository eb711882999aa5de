"""Has CMake compile the module abut._abut for the Python that runs this; the rest is in pyproject.toml."""

import os
import pathlib
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        build = pathlib.Path(self.build_temp).resolve()
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}",
             "-DABUT_REQUIRE_PYTHON=ON", "-DABUT_BUILD_PREPROCESS=OFF", "-DABUT_BUILD_TESTS=OFF",
             "-DABUT_BUILD_BENCHMARKS=OFF", "-DABUT_BUILD_TOOLS=OFF"], check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
        subprocess.run(["cmake", "--build", build, "--target", "abut_python", "-j", jobs], check=True)
        (built,) = (build / "python" / "abut").glob("_abut*.so")
        self.copy_file(str(built), str(target))


setup(ext_modules=[Extension("abut._abut", sources=[])], cmdclass={"build_ext": CMakeBuild})
