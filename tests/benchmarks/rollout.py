# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What applying a release costs: release_apply beside bare requests and kubectl.

    make bench                                        4.18 of $CAPABILITY_RELEASES, else its last release
    .venv/bin/python tests/benchmarks/rollout.py DIR  this release

Every measurement has its own etcd and kube-apiserver, without controllers, in which CRDs and Namespaces are;
the objects are those of the full set that such a server accepts. Ratios are those of one round.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.client import FIELD_MANAGER
from ansible_collections.capability.openshift.tests.benchmarks.rollout_objects import (
    CAPABILITIES,
    CRDS,
    FEATURE_SET,
    NAMESPACES,
    OBJECTS,
    SERVED,
    STUBS,
    make_all,
    make_kinds,
    wait_served,
)
from ansible_collections.capability.openshift.tests.control_plane.control_plane import ControlPlane
from ansible_collections.capability.openshift.tests.control_plane.operators import Operators, operators_of
from ansible_collections.capability.openshift.tests.control_plane.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
PYTHON = str(ROOT / ".venv" / "bin" / "python")
PLAYBOOK = ROOT / ".venv" / "bin" / "ansible-playbook"
WANTED = "4.18"
DELAY = 10
"""Milliseconds that the far server is away, one way."""

FLOOR, OURS, KUBECTL = "bare requests, 8 at a time", "release_apply", "kubectl apply"
FLOOR_ALONE, OURS_ALONE = "the requests alone: bare", "the requests alone: release_apply"
SECOND, WHOLE = "release_apply, nothing to do", "release_apply, all of the release"
WHOLE_FLOOR, WHOLE_KUBECTL = "bare requests, definitions first", "kubectl apply, definitions first"
PLAY_NOTHING, PLAY_PING = "ansible-playbook without a task", "ansible-playbook, ping"
PLAY_SECOND = "ansible-playbook, nothing to do"
PLAYS = {PLAY_NOTHING: "nothing", PLAY_PING: "ping", PLAY_SECOND: "apply"}
"""Playbooks, and the tags of their tasks in ``apply.yml``."""

MODULE = ROOT / "plugins" / "modules" / "release_apply.py"
CLUSTER_VERSION = "/apis/config.openshift.io/v1/clusterversions/version"
BUSY = 0.15
"""Seconds of processor time in a second, at which an API server counts as at rest."""


class Failed(Exception):
    """Something that was to be measured did not work."""


class Run(NamedTuple):
    """One process: seconds, the most memory it had in MB, what it printed at last, and seconds of processor time.

    Memory is never less than what this process had when it started the other, 50 MB. ``requests`` are counted by the
    API server, and only those of release_apply.
    """

    seconds: float
    memory: float
    output: str
    cpu: float
    requests: int = 0


class Limit(NamedTuple):
    """What one figure may be, as a multiple of another of the same round; ``least`` is for peers.

    ``start``: seconds that it may take in addition, because a module has more to import than bare requests.
    """

    name: str
    yardstick: str
    factor: float
    least: bool = False
    start: float = 0.0


START = 0.7
NEAR = (Limit(OURS, FLOOR, 1.3, start=START), Limit(OURS_ALONE, FLOOR_ALONE, 1.15), Limit(KUBECTL, OURS, 1, True))
EMPTY = (Limit(WHOLE, WHOLE_FLOOR, 1.15, start=START), Limit(WHOLE_KUBECTL, WHOLE, 3, True))
MEMORY = 120
CPU = 2.5
"""Seconds of processor time for all of a release."""

PLAY = 1.2
"""Seconds that a playbook with nothing to do may take in addition to one without a task."""

REQUESTS = 1.05
"""Requests for each object."""

ENOUGH = 500
"""Objects from which on limits are judged: what processes need to start is most of what fewer objects take."""

Round = dict[str, Run]


class Bench(NamedTuple):
    """The objects, in a folder, the release they are from, and its version."""

    folder: Path
    release: Path
    version: str

    def command(self, name: str, plane: ControlPlane, kubeconfig: Path) -> list[str]:
        """Return what starts a contestant."""
        if name == FLOOR:
            return [PYTHON, str(HERE / "floor.py"), str(kubeconfig), str(self.folder / OBJECTS)]
        if name == OURS:
            return self.ours(self.folder / "release", kubeconfig)
        return self.kubectl(self.folder / "objects.yaml", plane, kubeconfig)

    def ours(self, release: Path, kubeconfig: Path) -> list[str]:
        """Return what starts release_apply."""
        options = {"capabilities": CAPABILITIES, "feature_set": FEATURE_SET, "mode": "install", "parallelism": 8}
        version = {} if (release / "release-manifests").exists() else {"openshift_version": self.version}
        return module(
            "capability.openshift.release_apply", kubeconfig, release=str(release), wait=False, **options, **version
        )

    def play(self, tag: str, kubeconfig: Path) -> list[str]:
        """Return the command that runs the tasks with ``tag`` in a playbook."""
        values = {
            "ansible_python_interpreter": PYTHON,
            "kubeconfig": str(kubeconfig),
            "release": str(self.folder / "release"),
            "openshift_version": self.version,
            "capabilities": CAPABILITIES,
            "feature_set": FEATURE_SET,
        }
        return [str(PLAYBOOK), str(HERE / "apply.yml"), "--tags", tag, "-e", json.dumps(values)]

    def kubectl(self, file: Path, plane: ControlPlane, kubeconfig: Path) -> list[str]:
        """Return the kubectl command that applies the objects in ``file``."""
        flags = ["--server-side", "--force-conflicts", "--field-manager=bench"]
        return [str(plane.programs["kubectl"]), f"--kubeconfig={kubeconfig}", "apply", *flags, "-f", str(file)]

    def documents(self, name: str) -> Path:
        """Write the objects of a file for ``floor.py`` as YAML documents for kubectl."""
        file = self.folder / f"{name}.documents.yaml"
        lines = (self.folder / name).read_bytes().splitlines()
        file.write_bytes(b"\n---\n".join(line.partition(b"\t")[2] for line in lines) + b"\n")
        return file

    def sent(self, name: str, kubeconfig: Path) -> Run:
        """Send what is in a file for ``floor.py``."""
        return measure([PYTHON, str(HERE / "floor.py"), str(kubeconfig), str(self.folder / name)])

    def paths(self) -> list[str]:
        """Return the paths of the objects."""
        with (self.folder / OBJECTS).open(encoding="utf-8") as lines:
            return [line.partition("\t")[0] for line in lines]


def module(fqcn: str, kubeconfig: Path, **options: Any) -> list[str]:
    """Return what runs one module."""
    return [PYTHON, str(HERE / "call_module.py"), fqcn, json.dumps({"kubeconfig": str(kubeconfig), **options})]


def measure(command: Sequence[str], may_fail: bool = False) -> Run:
    """Run ``command``, which finds nothing in its caches."""
    with tempfile.TemporaryDirectory(prefix="bench-") as caches, tempfile.TemporaryFile() as output:
        env = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "tools" / "ansible.cfg")}
        env |= {"TMPDIR": caches, "KUBECACHEDIR": caches}
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=env)
        _pid, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace").strip()
    if process.returncode and not may_fail:
        raise Failed(f"{' '.join(command)} ended with {process.returncode}:\n{text[-4000:]}")
    return Run(seconds, usage.ru_maxrss / 1024, text.rpartition("\n")[2], usage.ru_utime + usage.ru_stime)


def log(text: str) -> None:
    """Report the progress, for this takes minutes."""
    print(f"  {time.strftime('%H:%M:%S')} {text}", flush=True)


@contextmanager
def fresh_plane(folder: Path | None) -> Iterator[ControlPlane]:
    """Give a control plane at rest, with the kinds and namespaces of ``folder``."""
    with ControlPlane() as plane:
        if folder is not None:
            make_kinds(plane.kubeconfig, folder)
        rest(plane)
        yield plane


def rest(plane: ControlPlane) -> None:
    """Wait until the API server has processed the requests."""
    spent = -1.0

    def still() -> bool:
        nonlocal spent
        metrics = plane.api.text("/metrics").splitlines()
        (line,) = [line for line in metrics if line.startswith("process_cpu_seconds_total ")]
        before, spent = spent, float(line.split()[1])
        return before >= 0 and spent - before < BUSY

    wait_for(still, "the API server to be at rest", 120, pause=1)


@contextmanager
def far_away(plane: ControlPlane, folder: Path) -> Iterator[Path]:
    """Give a kubeconfig of a longer way to the server."""
    port = plane.url.rpartition(":")[2]
    command = [PYTHON, str(HERE / "delay.py"), port, str(DELAY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as proxy:
        assert proxy.stdin
        assert proxy.stdout
        there = f"https://127.0.0.1:{proxy.stdout.readline().strip()}"
        kubeconfig = folder / "far.kubeconfig"
        kubeconfig.touch(0o600)
        kubeconfig.write_text(plane.kubeconfig.read_text(encoding="utf-8").replace(plane.url, there), encoding="utf-8")
        yield kubeconfig
        proxy.stdin.close()


def state(plane: ControlPlane, paths: Sequence[str]) -> dict[str, str]:
    """Return the resource versions of the objects at ``paths``, those that are there."""
    wanted = set(paths)
    found = {}
    for collection in sorted({path.rpartition("/")[0] for path in paths}):
        for item in plane.api.list(collection):
            path = f"{collection}/{item['metadata']['name']}"
            if path in wanted:
                found[path] = item["metadata"]["resourceVersion"]
    return found


def stable_state(plane: ControlPlane, paths: Sequence[str]) -> dict[str, str]:
    """Return the state once the API server no longer writes to it by itself, as it does to FlowSchemas."""
    seen: dict[str, str] = {}

    def same() -> bool:
        nonlocal seen
        before, seen = seen, state(plane, paths)
        return before == seen

    wait_for(same, "the API server to leave the objects alone", pause=1)
    return seen


def contest(bench: Bench, name: str, far: bool = False) -> Round:
    """Measure one contestant, and what it does when there is nothing to do if that is ours."""
    paths = bench.paths()
    log(f"{name}{', far away' if far else ''}: a fresh control plane")
    with fresh_plane(bench.folder) as plane:
        mark = plane.audit.mark()
        if far:
            with far_away(plane, bench.folder) as kubeconfig:
                run = measure(bench.command(name, plane, kubeconfig))
        else:
            run = measure(bench.command(name, plane, plane.kubeconfig))
        run = run._replace(requests=requests_since(plane, mark))
        missing = sorted(set(paths) - set(state(plane, paths)))
        if missing:
            raise Failed(f"{name} left out {len(missing)} objects: {', '.join(missing[:5])}\n{run.output[-2000:]}")
        log(f"{name}{', far away' if far else ''}: {run.seconds:.2f} s")
        measured = {name: run}
        if name == FLOOR:
            measured[FLOOR_ALONE] = run._replace(seconds=float(run.output))
        if name == OURS:
            log(f"{run.requests} requests for {len(paths)} objects")
            measured[OURS_ALONE] = run._replace(seconds=sending_seconds(plane, mark))
        if name == OURS and not far:
            measured |= again(bench, plane, [*paths, CLUSTER_VERSION])
    return measured


def requests_since(plane: ControlPlane, mark: int) -> int:
    """Return how many requests release_apply has sent since ``mark``."""
    return len(plane.audit.requests(mark, user_agent=FIELD_MANAGER))


def sending_seconds(plane: ControlPlane, mark: int) -> float:
    """Return how long release_apply sent manifests since ``mark``: without what a process needs to start."""
    times = [item.at for item in plane.audit.requests(mark, user_agent=FIELD_MANAGER) if item.verb == "patch"]
    return (max(times) - min(times)).total_seconds()


def again(bench: Bench, plane: ControlPlane, paths: Sequence[str]) -> Round:
    """Measure a second run, which must not change anything, and playbooks with and without such a run."""
    before = stable_state(plane, paths)
    rest(plane)
    mark = plane.audit.mark()
    run = measure(bench.command(OURS, plane, plane.kubeconfig))
    run = run._replace(requests=requests_since(plane, mark))
    plays = {name: measure(bench.play(tag, plane.kubeconfig)) for name, tag in PLAYS.items()}
    after = state(plane, paths)
    moved = sorted(path for path in paths if before.get(path) != after.get(path))
    if moved:
        raise Failed(f"the second run of release_apply wrote {len(moved)} objects: {', '.join(moved[:5])}")
    if json.loads(run.output)["changed"]:
        raise Failed(f"the second run of release_apply says that it changed something: {reported(run)}")
    log(f"{SECOND}: {run.seconds:.2f} s, {run.requests} requests, and no resource version moved")
    for name, play in plays.items():
        log(f"{name}: {play.seconds:.2f} s, {play.cpu:.2f} s of processor time")
    return {SECOND: run, **plays}


def whole(bench: Bench) -> Round:
    """Measure all of the release, beginning with an empty cluster.

    What is not in the release is there: a stand-in for operators, which make namespaces, and for OpenShift's own API
    servers, which serve some kinds.
    """
    log(f"{WHOLE}: a fresh control plane")
    operators = operators_of(bench.release)
    with fresh_plane(None) as plane, Operators(plane.kubeconfig, operators, make=False):
        make_all(plane.kubeconfig, bench.folder / STUBS)
        rest(plane)
        mark = plane.audit.mark()
        run = measure(bench.ours(bench.release, plane.kubeconfig), may_fail=True)
        run = run._replace(requests=requests_since(plane, mark))
    log(f"{WHOLE}: {run.seconds:.2f} s, {run.requests} requests; {reported(run)}")
    return {WHOLE: run}


def in_steps(bench: Bench, name: str) -> Round:
    """Measure bare requests or kubectl for the objects that a plain API server takes, beginning with an empty cluster.

    What comes later waits until the kinds are served.
    """
    log(f"{name}: a fresh control plane")
    files = {objects: bench.documents(objects) for objects in (CRDS, NAMESPACES, OBJECTS)}
    with fresh_plane(None) as plane:

        def send(objects: str) -> Run:
            if name == WHOLE_FLOOR:
                return bench.sent(objects, plane.kubeconfig)
            return measure(bench.kubectl(files[objects], plane, plane.kubeconfig))

        rest(plane)
        start = time.monotonic()
        runs = [send(CRDS)]
        wait_served(plane.api, (bench.folder / SERVED).read_text(encoding="utf-8").split())
        runs += [send(objects) for objects in (NAMESPACES, OBJECTS)]
        seconds = time.monotonic() - start
    log(f"{name}: {seconds:.2f} s")
    return {name: Run(seconds, max(run.memory for run in runs), "", sum(run.cpu for run in runs))}


def reported(run: Run) -> str:
    """Return what a module says of its run, in short."""
    try:
        result = json.loads(run.output)
    except ValueError:
        return run.output[-300:]
    counts = [f"{len(value)} {key}" for key, value in result.items() if isinstance(value, list) and value]
    return f"failed: {result.get('msg', '')[:600]}" if result.get("failed") else ", ".join(counts)


def show(title: str, rounds: Sequence[Round], yardstick: str, limits: Sequence[Limit]) -> None:
    """Print the table of some rounds, and which limits it keeps."""
    print(f"\n{title}")
    print(f"  {'':<36} {'median s':>9} {'min s':>8} {'CPU s':>6} {'MB':>6} {'ratio':>8}")
    for name in rounds[0]:
        runs = [measured[name] for measured in rounds]
        seconds = [run.seconds for run in runs]
        ratio = f"{ratios(rounds, name, yardstick):>8.2f}" if yardstick in rounds[0] else ""
        memory = max(run.memory for run in runs)
        cpu = statistics.median(run.cpu for run in runs)
        numbers = f"{statistics.median(seconds):>9.2f} {min(seconds):>8.2f} {cpu:>6.2f} {memory:>6.0f}"
        print(f"  {name:<36} {numbers} {ratio}")
    for limit in limits:
        if limit.name in rounds[0] and limit.yardstick in rounds[0]:
            ratio_found = ratios(rounds, limit.name, limit.yardstick, limit.start)
            name = f"{limit.name} less {limit.start} s" if limit.start else limit.name
            judge(f"{name} / {limit.yardstick}", ratio_found, limit.factor, limit.least)


def ratios(rounds: Sequence[Round], name: str, yardstick: str, start: float = 0.0) -> float:
    """Return the median of the ratios of two contestants, each of one round; ``start`` is taken from the first one."""
    return statistics.median((measured[name].seconds - start) / measured[yardstick].seconds for measured in rounds)


def judge(what: str, found: float, limit: float, least: bool = False) -> None:
    """Print whether a limit is kept."""
    reached = found >= limit if least else found <= limit
    print(f"  {what}: {found:.2f}, {'at least' if least else 'at most'} {limit}: {'reached' if reached else 'missed'}")


def judge_second_run(rounds: Sequence[Round], objects: int) -> None:
    """Print whether the second run and the number of requests are within their limits."""
    more = statistics.median(measured[PLAY_SECOND].seconds - measured[PLAY_NOTHING].seconds for measured in rounds)
    judge(f"{PLAY_SECOND}, seconds more than {PLAY_NOTHING}", more, PLAY)
    judge("requests of release_apply / objects", max(item[OURS].requests for item in rounds) / objects, REQUESTS)


def find_release(given: Path | None) -> Path:
    """Return the release to apply."""
    if given is not None:
        return given.resolve()
    folder = Path(os.environ.get("CAPABILITY_RELEASES") or ROOT / "examples" / "releases").resolve()
    found = sorted(path for path in folder.iterdir() if (path / "release-manifests").is_dir())
    return next((path for path in found if path.name == WANTED), found[-1])


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure what applying a release costs.")
    parser.add_argument("release", type=Path, nargs="?", help="an extracted release")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="rounds of every table")
    parser.add_argument("--quick", action="store_true", help="a third of the objects, but in the last table; no limits")
    parser.add_argument("--parts", default="near,far,whole", help="tables to make: near, far, whole")
    return parser.parse_args()


def compare(bench: Bench, asked: argparse.Namespace, objects: str) -> None:
    """Measure and print the requested tables."""
    have = MODULE.exists()
    full = len(bench.paths()) >= ENOUGH
    if not have:
        print("  release_apply does not exist: left out")
    parts = asked.parts.split(",")

    def rounds(names: Sequence[str], far: bool) -> list[Round]:
        wanted = [name for name in names if have or name != OURS]
        return [
            {key: run for name in wanted for key, run in contest(bench, name, far).items()}
            for _round in range(asked.runs)
        ]

    tables: list[Callable[[], None]] = []
    if "near" in parts:
        near = rounds((FLOOR, OURS, KUBECTL), far=False)
        tables.append(lambda: show(f"Applying {objects}, whole processes", near, FLOOR, NEAR if full else ()))
        if have:
            tables.append(lambda: judge_second_run(near, len(bench.paths())))
    if "far" in parts:
        distant = rounds((FLOOR, OURS), far=True)
        tables.append(lambda: show(f"The same, {2 * DELAY} ms away and back", distant, FLOOR, ()))
    if "whole" in parts and have:
        all_of_it = [
            {**in_steps(bench, WHOLE_FLOOR), **whole(bench), **in_steps(bench, WHOLE_KUBECTL)}
            for _round in range(asked.runs)
        ]
        title = f"All of {bench.version}, an empty cluster before"
        tables.append(lambda: show(title, all_of_it, WHOLE_FLOOR, EMPTY if full else ()))
        memory = max(measured[WHOLE].memory for measured in all_of_it)
        tables.append(lambda: judge("memory of release_apply in MB", memory, MEMORY))
        cpu = statistics.median(measured[WHOLE].cpu for measured in all_of_it)
        tables.append(lambda: judge("seconds of processor time of release_apply", cpu, CPU))
    for table in tables:
        table()


def main() -> None:
    """Prepare the objects, measure, and print."""
    asked = options()
    release = find_release(asked.release)
    print(f"\nRolling out {release.name}")
    with tempfile.TemporaryDirectory(prefix="rollout-") as folder:
        log("which objects does a plain API server take?")
        every = "3" if asked.quick else "1"
        subprocess.run([PYTHON, str(HERE / "rollout_objects.py"), str(release), folder, every], check=True)
        counts = json.loads((Path(folder) / "counts.json").read_text(encoding="utf-8"))
        before = f"{counts['crds']} CRDs and {counts['namespaces']} Namespaces were there before"
        objects = f"{counts['kept']} objects of {counts['version']} ({before})"
        log(f"{objects}; of {counts['included']} that are included it refuses {counts['refused']}")
        try:
            compare(Bench(Path(folder), release, counts["version"]), asked, objects)
        except Failed as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
