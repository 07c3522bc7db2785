# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accelerator never changes a decision: the heads that it reads, libyaml reads alike, or it doubts.

It is handed every document of a release, so the documents here are those that YAML libraries are known to disagree on.
"""

from __future__ import annotations

import pytest

pytest.importorskip("ryml", reason="compares rapidyaml with libyaml, and rapidyaml is not there")
hypothesis = pytest.importorskip("hypothesis", reason="needs hypothesis (requirements/unit.txt)")

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import manifest_from_object
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest_file import read_manifest_file
from ansible_collections.capability.openshift.plugins.module_utils._yaml import libyaml as _yaml
from ansible_collections.capability.openshift.plugins.module_utils._yaml import rapidyaml as _rapidyaml
from ansible_collections.capability.openshift.plugins.module_utils._yaml.head import Head, YamlError

START = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nm\n"

# Where a piece of YAML stands in a manifest: what decisions read, and what they do not.
PLACES = {
    "kind": "apiVersion: v1\nkind: {}\nmetadata:\n  name: nm\n",
    "name": "apiVersion: v1\nkind: A\nmetadata:\n  name: {}\n  namespace: s\n",
    "annotation": START + "  annotations:\n    a: {}\n    b: c\n",
    "annotation in a flow map": "apiVersion: v1\nkind: A\nmetadata: {{name: nm, annotations: {{a: {}, b: c}}}}\n",
    "annotations": START + "  annotations: {}\n",
    "annotations last": START + "  annotations: {}",
    "annotation key": START + "  annotations:\n    {}: x\n    b: c\n",
    "field": START + "data: {}\nlast: x\n",
    "deeper": START + "data:\n  a:\n  - b: {}\n    c: d\n  e: f\n",
    "element": START + "data:\n- {}\n- x\n",
    "flow list": START + "data: [a, {}, b]\n",
    "before the root": "{}\n" + START,
    "after the root": START + "{}\n",
    "after a line": START + "data: x {}\nlast: y\n",
}

VALUES = (
    # What YAML 1.1 makes of plain scalars
    *[
        "y",
        "Y",
        "yes",
        "Yes",
        "YES",
        "n",
        "N",
        "no",
        "No",
        "NO",
        "true",
        "True",
        "TRUE",
        "false",
        "False",
        "FALSE",
        "on",
        "On",
        "ON",
        "off",
        "Off",
        "OFF",
        "tRUE",
        "oN",
        "nO",
    ],
    *[
        "~",
        "null",
        "Null",
        "NULL",
        "nULL",
        "0",
        "1",
        "-1",
        "+1",
        "1_000",
        "0777",
        "0o17",
        "0b101",
        "0x1F",
        "0xFFFFFFFFFFFFFFFFFFFF",
        "1.5",
        ".5",
        "1.",
        "1e3",
        "1e400",
    ],
    *[
        ".",
        "..",
        "-",
        "+",
        "-.",
        "08",
        "1:30",
        "190:20:30",
        "2001-12-14",
        "2001-12-14t21:59:43.10-05:00",
        ".nan",
        ".NaN",
        ".inf",
        "-.inf",
        "+.INF",
        "NaN",
        "inf",
    ],
    *[
        "=",
        "<<",
        "<<:",
        "==",
        "=>",
        "<<x",
        "::",
        "::a",
        "a::",
        ":a",
        "a:",
        "a:b",
        "a::b",
        "-a",
        "--a",
        "?a",
        "?",
        "!",
        "!!",
        "!a",
        "!!a",
        "&",
        "&a",
        "*",
        "*a",
        "|",
        ">",
        "|-",
        ">+",
        "|2",
        ">9",
        "|0",
        "%",
        "@",
        "`",
        "@a",
        "`a",
        "%a",
    ],
    *[
        "{",
        "}",
        "[",
        "]",
        ",",
        "{}",
        "[]",
        "{a}",
        "[a]",
        "{a:}",
        "{a:b}",
        "{'a':b}",
        '{"a":b}',
        "[a,]",
        "{a,}",
        "[,]",
        "{,}",
        "[a,,b]",
        "{a:",
        "b,}",
        "[a",
        "b]",
        "{{}}",
        "[[]]",
        "[{}]",
        "}a",
        "]a",
    ],
    "",
    " ",
    "''",
    '""',
    "'a''b'",
    "'a'b",
    '"a"b',
    "'a",
    '"a',
    "a'",
    'a"',
    "a 'b'",
    "'a' 'b'",
    "'a' b",
    '"a" # comment',
    "'a'# none",
    "a # comment",
    "a# none",
    "# comment",
    "#none",
    "a: b",
    "a: b: c",
    "a : b",
    "'a': b",
    "- a",
    "-  a",
    "- - a",
    "? a",
    "? a : b",
    ": a",
    "a:",
    "a: ",
    "{a: b}",
    "{a: b, a: c}",
    "{a: b: c}",
    "{a: {b: c}, d: [e, f]}",
    "{a: b",
    "a: b}",
    "[a, b",
    "a, b]",
    "{a: b]",
    "[a: b, c: d]",
    "[a: b: c]",
    "[? a : b]",
    "{? a : b}",
    "{? a}",
    "{a: , b: }",
    "{a: b} c",
    "{a: b}, c",
    "[a] [b]",
    "{a: 'b'c}",
    "{a:b, c}",
    "{a, b: c}",
    "{a: !!str b}",
    "{a: #\n b}",
    "[a #\n , b]",
    "[a, #]",
    "{http://x: y}",
    "http://x:80/y",
    "[http://x:80/y]",
    "[a:b]",
    "[-]",
    "[- a]",
    "[-a]",
    "{-: a}",
    "{a: -}",
    "[?]",
    "[:]",
    "[::]",
    "[a:]",
    "[:a]",
    "[*]",
    "[&]",
    "[!]",
    "[|]",
    "[>]",
    "[%]",
    "[@]",
    "[`]",
    # Tags
    "!!str 1",
    "!!int 1",
    "!!int x",
    "!!bool y",
    "!!null ''",
    "!!binary YQ==",
    "!!set {a, b}",
    "!!map {a: b}",
    "!!seq [a]",
    "!!timestamp 2001-12-14",
    "!local x",
    "!<tag:yaml.org,2002:str> 1",
    "!<x",
    "!h!x y",
    "! 1",
    "! a",
    "!",
    "!!",
    "!a",
    "!>- x",
    # Anchors
    "&a b",
    "&a",
    "&a *a",
    "*a",
    "*undefined",
    "&a [*a]",
    "& a",
    "&&a b",
    "&a &b c",
    "&a !!str b",
    "!!str &a b",
    "a &b c",
    "a*b",
    "a&b",
    "{a: &x b, c: *x}",
    "{a: *x}",
    "[&x, *x]",
    "{&a b: c, d: *a}",
    "{<<: {a: b}}",
    "{<<: [{a: b}, {c: d}]}",
    "{<<: a}",
    "{'<<': {a: b}}",
    # Escapes and folding
    r'"\u00e4"',
    r'"\x41"',
    r'"\U0001F600"',
    r'"\uD800"',
    r'"\uD83D\uDE00"',
    r'"\U00110000"',
    r'"\x4"',
    r'"\u00"',
    r'"\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P"',
    r'"\q"',
    r'"\ "',
    r"'\n'",
    r"a\nb",
    '"\\\n      a"',
    '"a\\\n      b"',
    '"a\n      b"',
    '"a\n\n      b"',
    '"a \n\n\n      b "',
    '"\n      a\n      "',
    "'a\n      b'",
    "'a\n\n      b'",
    "a\n      b",
    "a\n\n      b",
    "a\n      b: c",
    "a\n      - b",
    "a\n      # comment\n      b",
    "a # comment\n      b",
    '"a" \n      b',
    "'a\nb'",
    '"a\nb"',
    '"a\n---\nb"',
    "a\nb",
    "a\n b",
    "a\n    b",
    "a\n...\nb",
    # Block scalars
    "|\n      a\n      b",
    "|\n      a\n       b\n      c",
    "|\n       a\n      b",
    "|\n\n      a",
    "|\n        \n      a",
    "|-\n      a\n",
    "|+\n      a\n\n",
    ">\n      a\n      b",
    ">-\n      a\n\n      b",
    ">\n      a\n        b\n      c",
    ">+\n      a\n\n\n",
    "|2\n      a",
    "|1-\n      a",
    "|-1\n      a",
    "|10\n      a",
    "|--\n      a",
    "| a\n      b",
    "| # comment\n      b",
    "|# none\n      b",
    "|\n      # no comment\n      b",
    "|\n      a\n    # comment\n",
    "|\na",
    "|\n a",
    "|",
    ">",
    "|\n",
    "|\n      ",
    "|\n      - a\n      b: c",
    "|\n      {\n      '\n",
    # Indentation
    "\n      a",
    "\n    a",
    "\n  a",
    "\n a",
    "\na",
    "\n      a: b",
    "\n      a: b\n     c: d",
    "\n      a: b\n       c: d",
    "\n      a: b\n        c: d",
    "\n      - a\n     - b",
    "\n      - a\n       - b",
    "\n    - a\n    - b",
    "\n  - a\n  - b",
    "\n- a",
    "\n      -a",
    "\n      - a: b\n        c: d",
    "\n      - a: b\n       c: d",
    "\n      - a: b\n         c: d",
    "\n      -\n        a",
    "\n      -\n      a",
    "\n      ? a\n      : b",
    "\n      ? a\n      ? b",
    "\n      ? [a]\n      : b",
    "\n      ? {a: b}\n      : c",
    "\n      ? |\n        a\n      : b",
    "\n      [a]: b",
    "\n      {a: b}: c",
    "\n      'a': b\n      \"c\": d",
    "\n      'a' : b",
    "\n      a: b\n      a: c",
    "\n      a: b\n\n      # comment\n      c: d",
    "\n      a: b # c: d\n      e: f",
    "\n      a: b\n # comment\n      c: d",
    "\n      a\n      b: c",
    "\n      a: b\n      c",
    "\n      a:\n      b:\n      c: d",
    "\n      a:\n    b: c",
    # Separators, directives and odd characters
    "---",
    "--- a",
    "---a",
    "\n---\na: b",
    "\n--- # comment\na: b",
    "...",
    "\n...\n",
    "\n...\n---\na: b",
    "\n... # comment\n",
    "\n... a\n",
    "\n...a: b\n",
    "%YAML 1.1",
    "%YAML 1.1\n---",
    "%YAML 1.2\n---",
    "%YAML 2.0\n---",
    "%YAML 1.1\n%YAML 1.1\n---",
    "%TAG ! tag:x,2000:\n---",
    "%TAG !! a",
    "%UNKNOWN a\n---",
    "%a: b",
    "%",
    "\t",
    "\ta",
    "a\tb",
    "a\t",
    "a\t# comment",
    "\n\ta: b",
    "\n      a:\tb",
    "\n      a: b\n\tc: d",
    "\n      -\ta",
    "[\ta]",
    "a\r",
    "a\r\n      b",
    "\r\n      a: b\r\n      c: d\r\n",
    "a\rb",
    "a\0b",
    "\0",
    "a\x01b",
    "\x07",
    "a\x1bb",
    "a\x7fb",
    "a\x80b",
    "a\x85b",
    "a\x85      b",
    "\x85",
    "a\xa0b",
    "\xa0",
    "a\u2028b",
    "a\u2028      b: c",
    "'a\u2028      b'",
    '"a\u2029      b"',
    "|\n      a\u2028b",
    "\u2028",
    "a\ufeffb",
    "\ufeff",
    "a\ufffe",
    "a\uffff",
    "a\ufffdb",
    "\U0001f600",
    "\U0010ffff",
    "ä",
    "日本",
    "'日本'",
)

WHOLE = {
    "nothing": "",
    "a blank": " ",
    "lines": "\n\n\n",
    "a comment": "# a",
    "a comment and a line": "# a\n",
    "null": "null\n",
    "tilde": "~",
    "a scalar": "a",
    "a quoted scalar": "'a'",
    "a block scalar": "|\n a\n",
    "a list": "- a\n- b\n",
    "an indented list": "  - a\n  - b\n",
    "a flow list": "[a, b]",
    "a flow map": "{apiVersion: v1, kind: A, metadata: {name: nm, annotations: {a: b}}}",
    "a flow map over lines": "{apiVersion: v1, kind: A,\n metadata: {name: nm,\nannotations: {\n a: b\n}\n}\n}\n",
    "a flow map and more": "{apiVersion: v1, kind: A, metadata: {name: nm}}\na: b\n",
    "two flow maps": "{apiVersion: v1, kind: A, metadata: {name: nm}}{a: b}",
    "json": '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "nm", "annotations": {"a": "b\\u00e4\\/"}}}',
    "json without blanks": '{"apiVersion":"v1","kind":"A","metadata":{"name":"nm","annotations":{"a":"b"}}}',
    "no last newline": START.rstrip(),
    "an indented root": "  apiVersion: v1\n  kind: A\n  metadata:\n    name: nm\n",
    "a root that wanders": "  apiVersion: v1\n kind: A\n  metadata:\n    name: nm\n",
    "CRLF": START.replace("\n", "\r\n"),
    "CR": START.replace("\n", "\r"),
    "a BOM": "\ufeff" + START,
    "two BOMs": "\ufeff\ufeff" + START,
    "a BOM inside": START + "\ufeffdata: x\n",
    "a BOM after a comment": "# a\n\ufeff" + START,
    "two documents": START + "---\n" + START,
    "an empty document first": "---\n" + START,
    "empty documents": "---\n---\n---\n" + START,
    "an end": START + "...\n",
    "an end and more": START + "...\n" + START,
    "an end and a comment": START + "...\n# a\n",
    "a document on the separator": "--- {apiVersion: v1, kind: A, metadata: {name: nm}}\n",
    "a directive": "%YAML 1.1\n---\n" + START,
    "repeated root keys": START + "kind: B\nkind: C\n",
    "repeated metadata": START + "metadata:\n  name: other\n",
    "repeated name": START + "  name: other\n",
    "repeated annotations": START + "  annotations:\n    a: b\n  annotations:\n    c: d\n",
    "repeated annotation": START + "  annotations:\n    a: b\n    a: c\n",
    "repeated in a flow map": START + "  annotations: {a: b, a: c}\n",
    "repeated, the last is null": START + "  annotations:\n    a: b\n  annotations:\n",
    "repeated below": START + "data:\n  a: b\n  a: c\n",
    "repeated with quotes": START + "\"kind\": B\n'kind': C\n",
    "quoted keys": "'apiVersion': v1\n\"kind\": A\n\"metadata\":\n  'name': nm\n  \"annotations\":\n    'a': b\n",
    "escaped keys": 'apiVersion: v1\n"kin\\x64": A\nmetadata:\n  "na\\u006de": nm\n',
    "complex keys": "? apiVersion\n: v1\n? kind\n: A\n? metadata\n: name: nm\n",
    "a key on two lines": START + "a\n b: c\n",
    "a long key": START + "a" * 1100 + ": b\n",
    "a long quoted key": START + '"' + "a" * 1100 + '": b\n',
    "a long flow key": START + "data: {" + "a" * 1100 + ": b}\n",
    "keys that are no strings": START + "1: a\ntrue: b\nnull: c\n1.5: d\n2001-12-14: e\n",
    "annotation keys that are no strings": START + "  annotations:\n    1: a\n    true: b\n    ~: c\n    : d\n",
    "an empty key": START + ": a\n",
    "a key without a value": START + "data\n",
    "tagged root": "!!map\n" + START,
    "tagged keys": START + "!!str data: a\n",
    "tagged metadata": "apiVersion: v1\nkind: A\nmetadata: !!map\n  name: nm\n",
    "anchored root": "&a\n" + START,
    "anchored metadata": "apiVersion: v1\nkind: A\nmetadata: &m\n  name: nm\nother: *m\n",
    "aliased annotations": START + "  labels: &l\n    a: b\n  annotations: *l\n",
    "aliased annotation": "x: &x b\n" + START + "  annotations:\n    a: *x\n",
    "an alias before its anchor": START + "a: *x\nb: &x c\n",
    "an anchor set twice": "x: &x a\ny: &x b\n" + START + "  annotations:\n    a: *x\n",
    "an alias as key": "x: &x a\n" + START + "*x : b\n",
    "an alias to itself": START + "a: &x\n  b: *x\n",
    "merged metadata": "x: &x\n  name: m\n  annotations: {a: b}\n"
    + "apiVersion: v1\nkind: A\nmetadata:\n  <<: *x\n  name: nm\n",
    "merged annotations": "x: &x {a: b}\n" + START + "  annotations:\n    <<: *x\n    c: d\n",
    "merged later": "x: &x {a: b}\n" + START + "  annotations:\n    a: d\n    <<: *x\n",
    "merged list": "x: &x {a: b}\ny: &y {a: c}\n" + START + "  annotations:\n    <<: [*x, *y]\n",
    "merged nonsense": START + "  annotations:\n    <<: a\n",
    "merged root": "<<: {kind: A}\napiVersion: v1\nmetadata:\n  name: nm\n",
    "an alias bomb": "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdef", "bcdefg", strict=True))
    + START,
    "metadata as list": "apiVersion: v1\nkind: A\nmetadata:\n- name: nm\n",
    "metadata as scalar": "apiVersion: v1\nkind: A\nmetadata: n\n",
    "metadata as nothing": "apiVersion: v1\nkind: A\nmetadata:\n",
    "metadata as flow": "apiVersion: v1\nkind: A\n"
    + "metadata: {name: nm, namespace: s, annotations: {a: 'b', \"c\": d}}\n",
    "metadata twice as deep": "apiVersion: v1\nkind: A\n"
    + "metadata:\n        name: nm\n        annotations:\n         a: b\n",
    "name as map": "apiVersion: v1\nkind: A\nmetadata:\n  name:\n    a: b\n",
    "name as list": "apiVersion: v1\nkind: A\nmetadata:\n  name:\n  - a\n",
    "annotations as list": START + "  annotations:\n  - a: b\n",
    "annotations with a list": START + "  annotations:\n    a:\n    - b\n    - c\n",
    "annotations with a map": START + "  annotations:\n    a:\n      b: c\n",
    "annotations with nothing": START + "  annotations:\n    a:\n    b: c\n",
    "annotations with a number": START + "  annotations:\n    a: 1\n    b: c\n",
    "comments everywhere": "# a\napiVersion: v1 # b\n# c\nkind: A # d\n"
    + "  # e\nmetadata: # f\n# g\n  name: nm # h\n# i\n  # j\n",
    "a comment inside a flow map": "apiVersion: v1\nkind: A\nmetadata: { # a\n  name: nm, # b\n  # c\n}\n",
    "a comment before a list": START + "data:\n# a\n- b\n  # c\n- d\n",
    "a list as deep as its key": START + "data:\n- a\n- b\nlast:\n- c\n",
    "a list less deep": START + "  labels:\n - a\n",
    "a scalar below the root": START + " data\n",
    "a second root": START + "- a\n",
    "metadata below kind": "apiVersion: v1\nkind: A\n  metadata:\n    name: nm\n",
    "a kind that goes on": "apiVersion: v1\nkind: A\n B\nmetadata:\n  name: nm\n",
    "a kind below": "apiVersion: v1\nkind:\n  A\nmetadata:\n  name:\n    nm\n",
    "an annotation below": START + "  annotations:\n    a:\n      b\n    c:\n      'd'\n",
    "an annotation as block": START + "  annotations:\n    a: |\n      b\n\n      c\n    d: >-\n      e\n      f\n",
    "an annotation over lines": START + "  annotations:\n    a: b\n      c\n\n      d\n    e: 'f\n      g'\n",
    "deep flow lists": START + "data: " + "[" * 100 + "]" * 100 + "\n",
    "deep flow maps": START + "data: " + "{a: " * 100 + "b" + "}" * 100 + "\n",
    "deep lists": START + "data:\n" + "- " * 100 + "a\n",
    "deep maps": START + "data:\n" + "".join(f"{' ' * depth}a:\n" for depth in range(1, 100)) + " " * 100 + "a\n",
    "deeper flow lists": START + "data: " + "[" * 3000 + "]" * 3000 + "\n",
    "deeper lists": START + "data:\n" + "- " * 3000 + "a\n",
    "deepest flow lists": START + "data: " + "[" * 11000 + "]" * 11000 + "\n",
    "deepest lists": START + "data:\n" + "- " * 11000 + "a\n",
    "deep annotations": START + "  annotations:\n    a: " + "[" * 3000 + "]" * 3000 + "\n",
}

NOT_UTF8 = (
    b"\xff\xfe" + START.encode("utf-16-le"),
    b"\xfe\xff" + START.encode("utf-16-be"),
    START.encode() + b"data: \xe4\n",
    START.encode() + b"  annotations:\n    a: \xc3\n",
    START.encode() + b"  annotations:\n    a: '\xc3'\n",
    START.encode() + b"# \xff\n",
    START.encode() + b"data: \xed\xa0\x80\n",  # a surrogate
    START.encode() + b"data: \xc0\x80\n",  # NUL, too long
    START.encode() + b"data: \xf4\x90\x80\x80\n",  # beyond Unicode
    b"\xe4" + START.encode(),
)

# What releases look like: the accelerator is of no use if it doubts these.
ORDINARY = (
    """apiVersion: apps/v1
kind: Deployment
metadata:
  name: foo
  namespace: ns
  annotations:
    include.release.openshift.io/self-managed-high-availability: "true"
    d: 'x y'
    e: plain text
  labels: {a: b, "c": 'd'}
spec:
  command: |
    text
      more: ${X} && *
  list: [1, 2, {a: b}]
  deeper:
  - a: 1
    b: 2
  - - c
    - d
""",
    """# comment
kind: "ConfigMap"
apiVersion: v1
metadata:
  name: nm
  annotations:
    "k": "v"
    l: 'w'
data:
  a: >-
    folded
    text
  b.json: '{"a": ["b", 1]}'
""",
    """
apiVersion: v1
kind: Secret
metadata:
    annotations:
        capability.openshift.io/name: Console+Ingress
        description: one
          two
          three
        q: "a b \\
          fold
          more"
    name: "x"
type: Opaque
""",
)

SIGNIFICANT = [
    *" \n:-?,[]{}#&*!|>'\"%@`=~.<+\\019abyn/_\t\r",
    *(
        ": ",
        "- ",
        "\n  ",
        "\n    ",
        " #",
        "---",
        "...",
        "'\n",
        '"\n',
        "\\n",
        "? ",
        "\n- ",
        "{}",
        "[]",
        "|-",
        ">2",
        "!!str ",
    ),
    *("<<", "*a", "&a ", "'", '"', "ä", "\x85", "\u2028", "\ufeff", "\0", "\x7f"),
]


def read_as_releases_are(data: bytes) -> Head:
    try:
        return _rapidyaml.read_head(data)
    except _rapidyaml.UnsupportedSyntax:
        return _yaml.read_head(data)


def test_the_accelerator_is_what_runs() -> None:
    assert _rapidyaml.HAS_RAPIDYAML


def seen(head: Head) -> tuple[object, ...]:
    """Return everything that the collection takes from a head."""
    fields = sorted(head.value) if isinstance(head.value, dict) else None
    # Not a number is not equal to itself, and 1 is equal to True.
    problems = Problems()
    manifest = None if head.value is None else manifest_from_object(head.value, "file", 1, problems)
    if manifest is not None and manifest.annotations is not None:
        # Of annotations that decide nothing, it only counts that they are strings.
        deciding = {key: text if "openshift.io/" in key else "" for key, text in manifest.annotations.items()}
        manifest = manifest._replace(annotations=deciding)
    return head.value is None, fields, repr((manifest, problems)), head.more


def is_in_head(text: str, line: int) -> bool:
    """Tell whether a line (from 1) belongs to what is read; 0 is a fault of the document as a whole."""
    lines = text.split("\n")[:line]
    tops = [at for at, top in enumerate(lines) if top[:1] not in ("", " ", "#")]
    if not tops or not lines[tops[-1]].startswith("metadata"):
        return bool(line) and (not tops or lines[tops[-1]].startswith(("apiVersion", "kind")))
    inside = [text for text in lines[tops[-1] + 1 :] if text.strip()]
    indent = min((len(text) - len(text.lstrip()) for text in inside), default=0)
    fields = [text.strip() for text in inside if len(text) - len(text.lstrip()) == indent]
    return not fields or fields[-1].startswith(("name", "namespace", "annotations"))


def disagreement(text: str) -> str:
    """Return in which way the two readers of heads disagree on a document; nothing where they do not.

    A fault behind the head may pass: rapidyaml is lenient there, and whoever loads a body loads it with libyaml.
    """
    data = text.encode()
    try:
        head = _rapidyaml.read_head(data)
    except _rapidyaml.UnsupportedSyntax:
        return ""
    try:
        expected = _yaml.read_head(data)
    except YamlError as error:
        if not is_in_head(text, error.line):
            return ""
        return f"rapidyaml reads what libyaml refuses ({error.message}): {data!r}"
    if seen(head) != seen(expected):
        return f"rapidyaml: {seen(head)}, libyaml: {seen(expected)}: {data!r}"
    return ""


def assert_agreement_on_file(data: bytes) -> None:
    fast_problems, problems = Problems(), Problems()
    fast = read_manifest_file("file", data, read_as_releases_are, fast_problems)
    sure = read_manifest_file("file", data, _yaml.read_head, problems)
    if any(problem.code == "invalid-yaml" for problem in problems):
        return  # a fault that may be in a body, see ``disagreement``
    assert fast_problems == problems, data
    assert [item.resource_id for item in fast.manifests] == [item.resource_id for item in sure.manifests], data
    assert fast.spans == sure.spans, data


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_nasty_value_anywhere(value: str) -> None:
    texts = [place.format(value) for place in PLACES.values()]
    assert [found for text in texts if (found := disagreement(text))] == []
    for text in texts:
        assert_agreement_on_file(text.encode())


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_nasty_document(text: str) -> None:
    assert disagreement(text) == ""
    assert_agreement_on_file(text.encode())


@pytest.mark.parametrize("data", NOT_UTF8)
def test_file_that_is_not_utf8(data: bytes) -> None:
    assert_agreement_on_file(data)
    problems = Problems()
    read_manifest_file("file", data, read_as_releases_are, problems)
    assert [problem.severity for problem in problems] == ["error"]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_document_is_not_doubted(text: str) -> None:
    head = _rapidyaml.read_head(text.encode())
    assert seen(head) == seen(_yaml.read_head(text.encode()))


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Draw a document that was right before something happened to a few of its characters or lines."""
    text = draw(st.sampled_from(ORDINARY))
    for _change in range(draw(st.integers(1, 3))):
        change = draw(st.sampled_from(("insert", "delete", "replace", "swap", "indent", "drop", "repeat")))
        if change in ("insert", "delete", "replace"):
            at = draw(st.integers(0, max(len(text) - 1, 0)))
            new = "" if change == "delete" else draw(st.sampled_from(SIGNIFICANT))
            length = {"insert": 0, "delete": draw(st.sampled_from((1, 1, 2, 5))), "replace": 1}[change]
            text = text[:at] + new + text[at + length :]
            continue
        lines = text.split("\n")
        at, other = (draw(st.integers(0, len(lines) - 1)) for _number in range(2))
        if change == "swap":
            lines[at], lines[other] = lines[other], lines[at]
        elif change == "indent":
            lines[at] = " " * draw(st.integers(0, 6)) + lines[at].lstrip(" ")
        elif change == "drop":
            del lines[at]
        else:
            lines.insert(at, lines[other])
        text = "\n".join(lines)
    return text


@settings(max_examples=max(2000, settings().max_examples))
@example("apiVersion: v1\nkind: X\nmetadata:\n  name: foo\n  annotations:\n")
@given(mutated())
def test_mutated_document(text: str) -> None:
    assert disagreement(text) == ""
    assert_agreement_on_file(text.encode())


@settings(max_examples=max(1000, settings().max_examples))
@given(st.sampled_from(sorted(PLACES)), st.lists(st.sampled_from(SIGNIFICANT), max_size=8))
def test_piece_of_yaml_anywhere(place: str, pieces: list[str]) -> None:
    assert disagreement(PLACES[place].format("".join(pieces))) == ""
