# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""ansible-builder accepts the example of an execution environment, and finds what the collection needs in it."""

from __future__ import annotations

import sys
from configparser import RawConfigParser
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import execution_environment
import pytest
import yaml
from ansible_builder.cli import run
from execution_environment import debian, debian_sources, main, pip_settings, pip_volumes

ROOT = Path(__file__).parents[2]
DEFINITION = ROOT / "examples" / "execution-environment.yml"


def builder(*arguments: str | Path) -> str:
    output = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
        patch.setattr(sys, "argv", ["ansible-builder", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run()
    assert ended.value.code == 0, output.getvalue()
    return output.getvalue()


def create(definition: Path, context: Path) -> list[str]:
    builder("create", "-f", definition, "-c", context, "--output-filename", "Containerfile")
    return (context / "Containerfile").read_text().splitlines()


def test_the_example_becomes_a_build_context(tmp_path):
    lines = create(DEFINITION, tmp_path)

    galaxy = yaml.safe_load((tmp_path / "_build" / "requirements.yml").read_text())
    assert galaxy == {"collections": ["capability.openshift"]}
    assert 'ARG PYPKG="python3"' in lines


def test_the_example_on_the_minimal_image_of_automation_platform(tmp_path):
    definition = yaml.safe_load(DEFINITION.read_text())
    definition["images"]["base_image"]["name"] = "registry.example/ee-minimal-rhel9:latest"
    for name in ("python_interpreter", "ansible_core", "ansible_runner"):
        del definition["dependencies"][name]
    (tmp_path / "definition.yml").write_text(yaml.safe_dump(definition))
    lines = create(tmp_path / "definition.yml", tmp_path / "context")

    assert [line for line in lines if line.startswith(("ARG PYPKG", "ARG ANSIBLE_INSTALL_REFS"))] == []


def test_the_collection_names_the_libraries_and_packages_that_it_needs(tmp_path):
    collection = tmp_path / "ansible_collections" / "capability" / "openshift"
    collection.parent.mkdir(parents=True)
    collection.symlink_to(ROOT)
    found = yaml.safe_load(builder("introspect", tmp_path))

    python = (ROOT / "meta" / "ee-requirements.txt").read_text().splitlines()
    # It omits PyYAML, which ansible-core needs itself.
    wanted = [line for line in python if line and not line.startswith(("#", "PyYAML"))]
    assert [line.split("  # ")[0] for line in found["python"]] == wanted
    assert [line.split("  # ")[0] for line in found["system"]] == ["gpgv [platform:dpkg]", "gnupg2 [platform:rpm]"]


def test_the_example_on_a_debian_base_image(tmp_path):
    tarball, directory = tmp_path / "capability-openshift-1.0.0.tar.gz", tmp_path / "kubernetes.core"
    tarball.write_bytes(b"")
    directory.mkdir()
    (directory / "MANIFEST.json").write_text("{}")
    example = yaml.safe_load(DEFINITION.read_text())
    (tmp_path / "debian.yml").write_text(yaml.safe_dump(debian(example, [tarball, directory])))
    lines = create(tmp_path / "debian.yml", tmp_path / "context")

    assert f'ARG EE_BASE_IMAGE="{execution_environment.BASE}"' in lines
    assert 'ARG PKGMGR="/usr/bin/apt-get"' in lines
    assert [line for line in lines if "pip_install" in line] == []
    refs = (example["dependencies"][name]["package_pip"] for name in ("ansible_core", "ansible_runner"))
    assert f'ARG ANSIBLE_INSTALL_REFS="{" ".join(refs)}"' in lines
    built = tmp_path / "context" / "_build"
    galaxy = yaml.safe_load((built / "requirements.yml").read_text())
    assert galaxy["collections"] == [{"name": tarball.name, "type": "file"}, {"name": directory.name, "type": "dir"}]
    assert (built / tarball.name).is_file()
    assert (built / directory.name / "MANIFEST.json").is_file()


def test_a_debian_machine_gives_its_own_release_and_mirror():
    suite, lines = debian_sources()

    assert suite.isalpha()
    assert all(line.startswith("deb ") and len(line.split()) == 4 for line in lines.splitlines())


def test_pip_reaches_the_index_in_the_image_as_it_does_here():
    listing = """\
:env:.index-url='https://b.example/simple'
:env:.no-input='1'
global.extra-index-url='\\nhttps://c.example/simple\\nhttps://d.example/simple'
global.index-url='https://a.example/simple'
install.proxy="http://o'neill@proxy.example:3128"
list.format='columns'
"""
    assert pip_settings(listing) == {
        "index-url": "https://b.example/simple",
        "extra-index-url": "\nhttps://c.example/simple\nhttps://d.example/simple",
        "proxy": "http://o'neill@proxy.example:3128",
    }


def test_the_configuration_of_pip_is_mounted_with_all_files_that_it_names(tmp_path, monkeypatch):
    monkeypatch.setattr(execution_environment, "CERTIFICATES", tmp_path / "missing.crt")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    file = tmp_path / "pip.conf"
    settings = {
        "find-links": f"{wheels} {tmp_path}/missing",
        "extra-index-url": "\nhttps://a.example\nhttps://b.example",
    }
    volumes = pip_volumes(settings, file)

    assert volumes == [f"--volume={file}:/etc/pip.conf:ro", f"--volume={wheels}:{wheels}:ro"]
    assert file.stat().st_mode & 0o777 == 0o600
    parser = RawConfigParser()
    parser.read_string(file.read_text())
    assert dict(parser["global"]) == settings


@pytest.mark.parametrize("program", ["buildah", "mmdebstrap"])
def test_programs_that_are_missing_are_named_with_the_command_that_installs_them(
    program, tmp_path, monkeypatch, capsys
):
    for name in {"buildah", "mmdebstrap"} - {program}:
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert main() == 1
    text = capsys.readouterr().err
    assert f"{program} must be installed first (Debian: apt-get install --no-install-recommends {program})" in text
