# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""registries.conf: files in their order, and what each field means (man containers-registries.conf)."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._registry.mirrors import Mirror
from ansible_collections.capability.openshift.plugins.module_utils._registry.registries_conf import read_registries_conf


def read(path, environ=None):
    problems = Problems()
    conf = read_registries_conf(path and str(path), environ or {"HOME": "/nonexistent"}, problems)
    return conf, problems


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


FULL = """
unqualified-search-registries = ["docker.io"]
short-name-mode = "enforcing"

[[registry]]
prefix = "quay.io/ocp"
location = "internal.example/ocp/"
insecure = true
[[registry.mirror]]
location = "m.example/all"
[[registry.mirror]]
location = "m.example/digest"
pull-from-mirror = "digest-only"
insecure = true
[[registry.mirror]]
location = "m.example/tag"
pull-from-mirror = "tag-only"

[[registry]]
location = "registry.redhat.io"
blocked = true
mirror-by-digest-only = true
[[registry.mirror]]
location = "m.example/redhat"

[[registry]]
Prefix = "*.example.com"
BLOCKED = true

[[registry]]
location = "registry.redhat.io"
blocked = true
"""


def test_all_fields(tmp_path):
    path = write(tmp_path / "registries.conf", FULL)
    conf, problems = read(path)
    assert problems == []
    assert [rule[:1] + rule[2:] for rule in conf] == [
        (
            "quay.io/ocp",
            "internal.example/ocp",
            True,
            False,
            (
                Mirror("m.example/all"),
                Mirror("m.example/digest", True, "digest-only"),
                Mirror("m.example/tag", False, "tag-only"),
            ),
        ),
        ("registry.redhat.io", "", False, True, (Mirror("m.example/redhat", False, "digest-only"),)),
        ("*.example.com", "", False, True, ()),
    ]
    assert conf[1].where == f"registries.conf ({path}), registry[1]"


def locations(conf):
    return {rule.prefix: [mirror.location for mirror in rule.mirrors] for rule in conf}


def registry(location, mirror):
    return f'[[registry]]\nlocation = "{location}"\n[[registry.mirror]]\nlocation = "{mirror}"\n'


def test_drop_ins_replace_rules_in_the_order_of_their_names(tmp_path):
    write(tmp_path / "registries.conf", registry("a", "m/0") + registry("b", "m/0"))
    write(tmp_path / "registries.conf.d/20.conf", registry("a", "m/20"))
    write(tmp_path / "registries.conf.d/10.conf", registry("a", "m/10") + registry("c", "m/10"))
    write(tmp_path / "registries.conf.d/30.conf.bak", "not TOML")
    write(tmp_path / "registries.conf.d/40.conf/x.conf", "not TOML")

    conf, problems = read(tmp_path)

    assert problems == []
    assert locations(conf) == {"a": ["m/20"], "b": ["m/0"], "c": ["m/10"]}


def test_a_file_has_no_drop_ins(tmp_path):
    path = write(tmp_path / "registries.conf", registry("a", "m/0"))
    write(tmp_path / "registries.conf.d/20.conf", registry("a", "m/20"))
    assert locations(read(path)[0]) == {"a": ["m/0"]}


def test_the_files_of_the_user_and_the_environment(tmp_path):
    home = {"HOME": str(tmp_path)}
    write(tmp_path / ".config/containers/registries.conf", registry("user.example", "m/user"))
    write(tmp_path / ".config/containers/registries.conf.d/1.conf", registry("drop.example", "m/drop"))
    named = write(tmp_path / "named.conf", registry("named.example", "m/named"))

    assert {"user.example", "drop.example"} <= set(locations(read(None, home)[0]))
    conf, problems = read(None, {**home, "CONTAINERS_REGISTRIES_CONF": str(named)})
    assert problems == []
    assert {"named.example", "drop.example"} <= set(locations(conf))
    assert "user.example" not in locations(conf)


@pytest.mark.parametrize(
    ("path", "environ"),
    [("/no/such/file", None), (None, {"HOME": "/nonexistent", "CONTAINERS_REGISTRIES_CONF": "/no/such/file"})],
)
def test_an_explicit_file_must_exist(path, environ):
    _conf, problems = read(path, environ)
    assert [(problem.code, str(problem.where)) for problem in problems] == [
        ("missing-file", "registries.conf (/no/such/file)")
    ]


def test_a_directory_without_configuration(tmp_path):
    _conf, problems = read(tmp_path)
    assert [problem.code for problem in problems] == ["missing-file"]


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        ("[[registry", "invalid-toml", ""),
        ("\udcff".encode("utf-8", "surrogateescape").decode("latin-1") + "=", "invalid-toml", ""),
        ('[registries.search]\nregistries = ["a"]', "unsupported-format", ""),
        ("registry = 1", "invalid-registry", ""),
        ("[[registry]]", "missing-location", ", registry[0]"),
        ('[[registry]]\nprefix = "a.example"', "missing-location", ", registry[0]"),
        ('[[registry]]\nlocation = "https://a.example"', "invalid-location", ", registry[0].location"),
        ("[[registry]]\nlocation = 1", "invalid-location", ", registry[0].location"),
        ('[[registry]]\nprefix = "*.example/a"', "invalid-prefix", ", registry[0].prefix"),
        ('[[registry]]\nprefix = "*"\nlocation = "a"', "invalid-prefix", ", registry[0].prefix"),
        ('[[registry]]\nlocation = "a"\nblocked = "true"', "not-a-boolean", ", registry[0].blocked"),
        (
            '[[registry]]\nlocation = "a"\npull-from-mirror = "all"',
            "invalid-pull-from-mirror",
            ", registry[0].pull-from-mirror",
        ),
        (
            '[[registry]]\nlocation = "a"\n[[registry]]\nprefix = "b"\nlocation = "a"\nblocked = true',
            "conflicting-registry",
            ", registry[1].blocked",
        ),
        ('[[registry]]\nlocation = "[::1]:5000"', "invalid-location", ", registry[0].location"),
        ('[[registry]]\nlocation = "a"\nmirror = ["b"]', "invalid-mirror", ", registry[0].mirror"),
        ('[[registry]]\nlocation = "a"\n[[registry.mirror]]', "missing-location", ", registry[0].mirror[0]"),
        (
            '[[registry]]\nlocation = "a"\n[[registry.mirror]]\nlocation = "b"\npull-from-mirror = "x"',
            "invalid-pull-from-mirror",
            ", registry[0].mirror[0].pull-from-mirror",
        ),
        (
            '[[registry]]\nlocation = "a"\nmirror-by-digest-only = true\n'
            '[[registry.mirror]]\nlocation = "b"\npull-from-mirror = "all"',
            "conflicting-pull-from-mirror",
            ", registry[0].mirror[0].pull-from-mirror",
        ),
    ],
)
def test_configuration_that_is_not_valid(tmp_path, text, code, field):
    path = write(tmp_path / "registries.conf", text)
    _conf, problems = read(path)
    assert [(problem.code, str(problem.where)) for problem in problems] == [(code, f"registries.conf ({path}){field}")]
