#!/usr/bin/python3
"""Doxygen's input filter: comments of ours, //, as those that it reads, /// before and ///< behind a declaration."""

import re
import sys

BEHIND = re.compile(r"^(?P<code>(?:[^\"/]|\"(?:[^\"\\]|\\.)*\"|/(?!/))*[;,{}] *)//(?P<words> .*)$")
ALONE = re.compile(r"^(?P<blank> *)//(?P<words> .*)?$")
NAME = r"\*?\w+(?:\[\w+\])?(?: = [^,;]+)?"
SEVERAL = re.compile(rf"^ *(?:(?:inline|static|constexpr|const) )*[\w:]+(?:<.*>)?[*&]? {NAME}(?:, {NAME})+; *$")


def plain(words):
    """Without tags of HTML: what looks like one, outside of `code`, is a word in angle brackets."""
    parts = (words or "").split("`")
    return "`".join(re.sub(r"<(?=[A-Za-z/])", r"\\<", part) if i % 2 == 0 else part for i, part in enumerate(parts))


behind = -1  # the column of the comment behind the declaration above
for line in open(sys.argv[1], encoding="utf-8"):
    line = line.rstrip("\n")
    alone, after = ALONE.match(line), BEHIND.match(line)
    if alone and len(alone["blank"]) == behind:  # goes on
        print(f"{alone['blank']}///<{plain(alone['words'])}")
    elif alone:
        print(f"{alone['blank']}///{plain(alone['words'])}")
    elif after and after["code"].strip() and not after["code"].strip().startswith("}"):
        behind = len(after["code"])
        if SEVERAL.match(after["code"]):  # all of them, by a group
            print(f"/**@{{*/ /**{plain(after['words'])} */ {after['code']} /**@}}*/")
        else:
            print(f"{after['code']}///<{plain(after['words'])}")
    else:
        behind = -1
        print(line)
