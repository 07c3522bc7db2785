# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The control plane from a shell: for molecule, for benchmarks, and for people who want to look around."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import yaml

from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError
from ansible_collections.capability.openshift.tests.control_plane.api import ApiError
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.cvo import StatusWriter
from ansible_collections.capability.openshift.tests.control_plane.daemon import (
    KUBECONFIG,
    announced,
    end_on_signals,
    start,
    stop,
    wait_until_gone,
)
from ansible_collections.capability.openshift.tests.control_plane.errors import ControlPlaneError
from ansible_collections.capability.openshift.tests.control_plane.openshift import (
    apply_crds,
    make_cluster_version,
    read_release,
)
from ansible_collections.capability.openshift.tests.control_plane.operators import Behaviour, Operators, operators_of
from ansible_collections.capability.openshift.tests.control_plane.programs import (
    API,
    CONTROLLERS,
    LINTER,
    find_programs,
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="control_plane", description="A real Kubernetes control plane on loopback.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("programs", help="build all programs unless they are there, and say where they are")
    commands.add_parser("start", help="start one in the background unless it runs, return when it is ready")
    commands.add_parser("run", help="run one until Ctrl-C")
    commands.add_parser("stop", help="end the one in a directory")
    for name in ("start", "run", "stop"):
        commands.choices[name].add_argument("--directory", type=Path, required=True, help="for its kubeconfig")
    for name in ("start", "run"):
        _add_options(commands.choices[name])
    return parser


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stop-with", type=int, metavar="PID", help="end when that process is gone")
    parser.add_argument("--release", type=Path, metavar="DIR", help="make the kinds of this release known")
    parser.add_argument(
        "--cluster-version", type=Path, metavar="FILE", help="YAML with spec and status of the ClusterVersion"
    )
    parser.add_argument("--cvo", action="store_true", help="write the status of the ClusterVersion")
    parser.add_argument("--operators", action="store_true", help="play the operators of the release")
    parser.add_argument("--follow", action="store_true", help="only operators whose capability is enabled report")
    parser.add_argument("--slow", action="append", default=[], metavar="NAME=SECONDS", help="report later")
    parser.add_argument("--silent", action="append", default=[], metavar="NAME", help="report nothing")


def _behaviours(options: argparse.Namespace) -> dict[str, Behaviour]:
    slow = {name: Behaviour(seconds=float(seconds)) for name, seconds in (item.split("=") for item in options.slow)}
    return slow | {name: Behaviour(silent=True) for name in options.silent}


def _log(text: str) -> None:
    print(f"control plane: {text}", flush=True)


def _run(options: argparse.Namespace) -> None:
    if options.release is None and (options.cluster_version or options.cvo or options.operators):
        raise ControlPlaneError("--cluster-version, --cvo and --operators need --release")
    if options.release is not None:
        read_release(options.release)  # rather now than after the programs were started
    end_on_signals()
    with ExitStack() as stack:
        plane = stack.enter_context(ControlPlane(log=_log))
        if options.release is not None:
            _log(f"{len(apply_crds(plane.api, options.release))} kinds of {options.release}")
        if options.cluster_version is not None:
            document = yaml.safe_load(options.cluster_version.read_text(encoding="utf-8"))
            make_cluster_version(plane.api, document.get("spec"), document.get("status"))
        if options.cvo:
            stack.enter_context(StatusWriter(plane.kubeconfig, read_release(options.release).shown_version))
        if options.operators:
            played = operators_of(options.release)
            operators = Operators(plane.kubeconfig, played, _behaviours(options), follow=options.follow)
            stack.enter_context(operators)
        stack.enter_context(announced(options.directory, plane.kubeconfig))
        _log(f"ready: {options.directory / KUBECONFIG}")
        wait_until_gone(options.stop_with)


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "programs":
            for name, path in find_programs([*API, *CONTROLLERS, *LINTER], _log).items():
                print(f"{name}: {path}")
        elif options.command == "start":
            find_programs(API, _log)
            start(options.directory, arguments[1:])
            _log(f"ready: {options.directory / KUBECONFIG}")
        elif options.command == "stop":
            _log("stopped" if stop(options.directory) else "there was none")
        else:
            _run(options)
    except (ControlPlaneError, CapabilityError, ApiError, ValueError) as error:
        print(f"control plane: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
