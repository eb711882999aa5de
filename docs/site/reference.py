#!/usr/bin/python3
"""The API reference as web pages, by Doxygen, of the headers that a consumer has.

    reference.py OUT    OUT/api, made anew

Fails where a public symbol has no comment, and where Doxygen finds fault with one.
"""

import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def make_reference(out, site):
    """Writes site/api; what it takes is left in `out`."""
    headers, warnings = out / "headers", out / "warnings"
    subprocess.run(["cmake", f"-DFROM={ROOT}/runtime", f"-DTO={headers}", "-P",
                    ROOT / "runtime/cmake/public_headers.cmake"], check=True)
    words = {"VERSION": (ROOT / "runtime/VERSION").read_text().strip(), "HEADERS": str(headers), "SOURCE": str(ROOT),
             "OUT": str(site), "WARNINGS": str(warnings)}
    text = re.sub("@([A-Z]+)@", lambda match: words[match[1]], (HERE / "Doxyfile.in").read_text(encoding="utf-8"))
    (out / "Doxyfile").write_text(text, encoding="utf-8")
    subprocess.run(["doxygen", out / "Doxyfile"], check=True)
    faults = warnings.read_text(encoding="utf-8").replace(f"{headers}/abut/", "runtime/").splitlines()
    if faults:
        sys.exit("\n".join(sorted(set(faults))))


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    make_reference(place, place)
