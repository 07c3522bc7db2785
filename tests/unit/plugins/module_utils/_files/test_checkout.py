# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a checkout: which are found, once each, in a stable order, and nothing outside of it."""

from __future__ import annotations

import glob
import os
import subprocess
from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._files import checkout as walk
from ansible_collections.capability.openshift.plugins.module_utils._files.checkout import Checkout
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError, Problems
from ansible_collections.capability.openshift.tests.unit.builders.sites import write_checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout next to a file that is not part of it."""
    write_checkout(tmp_path, {"outside.yaml": "a: 1\n"})
    files = {"b.yml": "b", "a/b.yaml": "ab", "a/c.json": "ac", "a/d.txt": "ad", ".git/e.yaml": "e", "[x]/f.yaml": "f"}
    return write_checkout(tmp_path / "checkout", dict(files))


def found(checkout: Path, *paths: str) -> tuple[dict[str, bytes], list[tuple[str, str]]]:
    """The content of the files by path, and the codes and locations of problems."""
    problems = Problems()
    files = {file.path: file.data for file in Checkout(str(checkout)).read_files(paths, problems)}
    return files, [(item.code, str(item.where)) for item in problems]


ALL = {"[x]/f.yaml": b"f", "a/b.yaml": b"ab", "a/c.json": b"ac", "b.yml": b"b"}


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["."], list(ALL)),
        (["a", "."], ["a/b.yaml", "a/c.json", "[x]/f.yaml", "b.yml"]),
        (["a/*.yaml", "b.yml"], ["a/b.yaml", "b.yml"]),
        (["**/*.json"], ["a/c.json"]),
        (["a/d.txt"], ["a/d.txt"]),  # named, so it is read whatever its suffix
    ],
)
def test_files_are_found_once_in_a_stable_order(checkout, paths, names):
    files, problems = found(checkout, *paths)

    assert list(files) == names
    assert files == {name: {**ALL, "a/d.txt": b"ad"}[name] for name in names}
    assert problems == []


@pytest.mark.parametrize(
    ("path", "code"),
    [("none", "missing-path"), ("none/**", "missing-path"), ("*.txt", "missing-path"), ("..", "outside-path")],
)
def test_a_path_must_match_something_inside(checkout, path, code):
    with pytest.raises(InvalidOptionError) as error:
        found(checkout, "b.yml", path)

    assert [(item.code, str(item.where)) for item in error.value.problems] == [(code, path)]


def test_a_checkout_must_be_a_directory(checkout):
    with pytest.raises(InvalidOptionError) as error:
        found(checkout / "b.yml", ".")

    assert [item.code for item in error.value.problems] == ["missing-directory"]


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("../outside.yaml", "outside-link"),
        ("..", "outside-link"),
        ("none.yaml", "dangling-link"),
        ("a/d.txt", None),
        (".", None),
        ("a", None),
        ("b.yml", None),
    ],
)
def test_a_link_is_followed_inside_only_and_its_target_named(checkout, target, code):
    (checkout / "0.yaml").symlink_to(target)

    assert found(checkout, ".") == (ALL, [(code, "0.yaml")] if code else [])


def test_what_cannot_be_read_is_reported_and_the_rest_is_read(checkout, monkeypatch):
    os.mkfifo(checkout / "pipe.yaml")
    (checkout / "large.yaml").write_bytes(b"12345")
    monkeypatch.setattr(walk, "MAX_SIZE", 4)
    listed = os.scandir

    def scandir(path: str):
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)

    assert found(checkout, ".") == (
        {"[x]/f.yaml": b"f", "b.yml": b"b"},
        [("unreadable-file", "a"), ("too-large", "large.yaml"), ("not-a-file", "pipe.yaml")],
    )


@pytest.mark.parametrize(("chart", "files"), [(True, []), (False, ["c/templates/a.yaml"])])
def test_templates_of_a_chart_are_not_read(checkout, chart, files):
    write_checkout(checkout, {"c/templates/a.yaml": "a", **({"c/Chart.yaml": "c"} if chart else {})})

    read, problems = found(checkout, "c")
    assert [name for name in read if "templates" in name] == files
    assert problems == ([("template", "c/templates")] if chart else [])


@pytest.fixture
def repository(checkout: Path) -> Path:
    """The checkout as a work tree of git, which ignores one directory, one file, and no tracked file."""
    ignored = {"env/lib/g.yaml": "g", "[out]/h.yaml": "h", "a/i.tmp.yaml": "i", "a/tracked.tmp.yaml": "t"}
    write_checkout(checkout, {**ignored, ".gitignore": "/env\n/?out?\n*.tmp.yaml\n"})
    (checkout / ".git" / "e.yaml").unlink()
    (checkout / "env" / "python").symlink_to("/usr/bin/python3")
    for arguments in (["init", "--quiet"], ["add", "--force", "a/tracked.tmp.yaml"]):
        subprocess.run(["git", "-C", str(checkout), *arguments], check=True)
    return checkout


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["."], [*ALL, "a/tracked.tmp.yaml"]),
        (["**/*.yaml"], ["[x]/f.yaml", "a/b.yaml", "a/tracked.tmp.yaml"]),
        # What is named is read.
        (["env"], ["env/lib/g.yaml"]),
        (["env/**/*.yaml"], ["env/lib/g.yaml"]),
        (["env/lib/*.yaml", "a/i.tmp.yaml"], ["env/lib/g.yaml", "a/i.tmp.yaml"]),
        (["[[]out]"], ["[out]/h.yaml"]),
    ],
)
def test_what_git_ignores_is_read_only_if_it_is_named(repository, monkeypatch, paths, names):
    # In a container, the repository can belong to another user.
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    files, problems = found(repository, *paths)

    # A link to a program is not reported, even if it is named.
    assert (sorted(files), problems) == (sorted(names), [])


def test_links_to_directories_above_end(checkout):
    write_checkout(checkout, {"a/b.yaml": "b", "a/c/d.yaml": "d"})
    for link, target in (("self", "."), ("a/loop", ".."), ("a/c/other", "..")):
        (checkout / link).symlink_to(target)
    files, problems = found(checkout, "**/*.yaml")
    assert (sorted(name for name in files if name.startswith("a/")), problems) == (["a/b.yaml", "a/c/d.yaml"], [])


@pytest.mark.parametrize("name", ["a", "a/b", "a/.b/c", ".a", ".a/b", "a/bc", "b/a/b", "a/b/c/d"])
@pytest.mark.parametrize("pattern", ["**", "a/**", "**/b", "*/**/b", "a/**/c", ".a/**", "**/.b/*", "a**", "**/[bd]"])
def test_a_pattern_matches_what_glob_matches(tmp_path, name, pattern):
    write_checkout(tmp_path / "checkout", {name: "x"})
    root = tmp_path / "checkout"
    # With "none/**", glob matches none/.
    expected = {
        os.path.normpath(path) for path in glob.glob(f"{root}/{pattern}", recursive=True) if os.path.exists(path)
    }
    assert set(Checkout(str(root))._matches(pattern)) == expected


def test_without_git_the_ignored_files_of_a_repository_are_read_with_a_reason(repository, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    whole, other = Checkout(str(repository)), Checkout(str(tmp_path))
    names = [file.path for file in whole.read_files(["a"], Problems())]
    assert ("a/i.tmp.yaml" in names, whole.fault) == (True, "git cannot be run: No such file or directory")
    assert (list(other.read_files(["."], Problems())), other.fault) != ([], "")


def test_a_submodule_says_what_it_ignores(repository, tmp_path):
    names = found(repository, ".")[0]
    outer = tmp_path / "outer"
    author = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", str(repository), *author, "commit", "--quiet", "--message=a"], check=True)
    subprocess.run(["git", "init", "--quiet", str(outer)], check=True)
    repository.rename(outer / "sites")
    subprocess.run(["git", "-C", str(outer), "add", "sites"], check=True)

    assert set(found(outer, ".")[0]) == {f"sites/{name}" for name in names}


def test_a_glob_that_matches_only_what_git_ignores_matches_nothing(repository):
    with pytest.raises(InvalidOptionError) as error:
        found(repository, "e*/lib/*.yaml")

    assert [item.code for item in error.value.problems] == ["missing-path"]


@pytest.mark.parametrize("folder", ["env", "env/lib"])
def test_a_checkout_that_git_ignores_as_a_whole_is_read(repository, folder):
    assert found(repository / folder, ".")[0] == {("lib/g.yaml" if folder == "env" else "g.yaml"): b"g"}


def test_without_git_everything_is_read(repository, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")

    assert {"env/lib/g.yaml", "a/i.tmp.yaml"} < set(found(repository, ".")[0])


def test_each_file_is_found_once_however_often_the_checkout_is_asked(checkout):
    read = Checkout(str(checkout))

    assert [file.path for file in read.files(["a"], Problems())] == ["a/b.yaml", "a/c.json"]
    assert [file.path for file in read.files(["."], Problems())] == ["[x]/f.yaml", "b.yml"]


def test_the_files_of_a_directory_are_listed_by_their_real_paths(repository, checkout):
    (checkout / "a" / "b.yml").symlink_to("../b.yml")
    (checkout / "a" / "outside.yaml").symlink_to("../../outside.yaml")

    listed = Checkout(str(checkout)).listed
    tracked = {"tracked.tmp.yaml": "a/tracked.tmp.yaml"}
    assert listed("a") == {"b.yaml": "a/b.yaml", "b.yml": "b.yml", "c.json": "a/c.json", **tracked}
    assert listed("[x]") == {"f.yaml": "[x]/f.yaml"}
    assert [listed(folder) for folder in ("b.yml", "none", "..", "env/lib")] == [{}, {}, {}, {}]


@pytest.mark.parametrize(
    ("path", "content"), [("a/b.yaml", b"ab"), ("a", b""), ("none", b""), ("../outside.yaml", b""), ("large", b"")]
)
def test_a_single_file_is_read_inside_only(checkout, path, content, monkeypatch):
    monkeypatch.setattr(walk, "MAX_SIZE", 4)
    (checkout / "large").write_bytes(b"12345")

    assert Checkout(str(checkout)).read(path) == content
