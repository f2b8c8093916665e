#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
"""mutate.py FILE [COUNT [SEED]]: change one C source of the guest in COUNT ways, each in a copy
of the tree, and tell which changes its unit tests do not notice. COUNT 0: in all ways."""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build/mutate"
LIMIT_S = 300  # a changed loop may have no end

NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*|^#(?:\\\n|[^\n])*', re.S | re.M)
FUNCTION = re.compile(r"^\{.*?^\}", re.S | re.M)
OPPOSITES = {"==": "!=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "&&": "||", "||": "&&",
             "+": "-", "-": "+", "<<": ">>", ">>": "<<", "|": "&", "&": "|", "%": "/", "+=": "-=", "|=": "&="}
# What is changed, the first group of it, and what each is changed into.
CHANGES = [
    (r" (==|!=|<=|>=|<<|>>|<|>|&&|\|\||\+=|\|=|\+|-|\||&|%)(?=[ \n])", lambda old: [OPPOSITES[old]]),
    (r"(?<![=!<>\w])(!)(?=[\w(*])", lambda old: [""]),
    (r"(?<![\w.])(\d+)(?![\w.])", lambda old: [str(int(old) + 1)] + [str(int(old) - 1)] * (old != "0")),
    (r"\bif (\((?:[^()\n]|\([^()\n]*\))*\))$", lambda old: ["(1)", "(0)"]),
    (r"\b(true|false)\b", lambda old: ["false" if old == "true" else "true"]),
    (r"\breturn ([^;\n]+);", lambda old: ["-5" if old == "0" else "0"]),
    (r"^\t+((?:\(void\))?[a-z_][\w.>\[\]-]*(?:\([^\n]*\)| [|&+-]?= [^\n]*|\+\+|--);|break;|continue;)$", lambda old: [";"]),
]


def changes_of(text):
    """(start, end, new) of every change to the functions of a source."""
    code = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", "\x01", match.group()), text)
    for function in FUNCTION.finditer(code):
        for pattern, into in CHANGES:
            for match in re.compile(pattern, re.M).finditer(code, *function.span()):
                for new in into(match.group(1)):
                    yield *match.span(1), new


def copy_tree():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split("\0")
    for name in filter(None, names):
        target = COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
            shutil.copy(ROOT / name, target)


def quietly(command):
    try:
        return subprocess.run(command, cwd=COPY, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=LIMIT_S, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def try_change(source, text, tests):
    (COPY / source).write_text(text)
    if not quietly(["make", "-s", *tests]):
        return "not built"
    return "NOT NOTICED" if all(quietly([test]) for test in tests) else "noticed"


def main():
    source, count, seed = (sys.argv[1:] + ["20", "1"][len(sys.argv) - 2:])[:3]
    folder = pathlib.Path("tests/unit", source).parent
    tests = [f"build/tests/{path.relative_to(ROOT).with_suffix('')}" for path in sorted((ROOT / folder).glob("test_*.c"))]
    text = (ROOT / source).read_text()
    changes = list(changes_of(text))
    random.Random(int(seed)).shuffle(changes)
    copy_tree()
    if not tests or try_change(source, text, tests) != "NOT NOTICED":
        sys.exit(f"{folder}: no tests, or they fail without a change")
    tally = {}
    for start, end, new in changes[:int(count) or None]:
        result = try_change(source, text[:start] + new + text[end:], tests)
        tally[result] = tally.get(result, 0) + 1
        if result == "NOT NOTICED":
            line = text.count("\n", 0, start)
            print(f"{source}:{line + 1}: {text[start:end]!r} -> {new!r}: {text.splitlines()[line].strip()}", flush=True)
    (COPY / source).write_text(text)
    print(", ".join(f"{number} {result}" for result, number in sorted(tally.items())))


main()
