"""Puts what a real program answered beside what `arcwise locate` answers, and counts."""
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

from made_up import KEYS, SEED

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent.parent)
LISTS = 5  # of each program at least
DOCUMENT = SOURCE / "docs/recipes/real-programs.md"


def cluster_map(recipe, nodes, *, replicas=None, **placement):
    """A map; nodes are names or dicts."""
    found = {"arcwise": 1, "cluster": "made-up", "placement": {"recipe": recipe, **placement},
             "nodes": [node if isinstance(node, dict) else {"name": node} for node in nodes]}
    return {**found, "replicas": replicas} if replicas else found


def locate(folder, cluster, keys, *options):
    """The owners of each key, in order of preference. `cluster` is a map, or the path of a file."""
    path = cluster
    if isinstance(cluster, dict):
        path = os.path.join(folder, "map.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(cluster, file)
    answer = subprocess.run([os.environ["ARCWISE"], "locate", path, "--keys", "-", *options], input=b"".join(key + b"\n" for key in keys),
                            capture_output=True, check=False)
    if answer.returncode != 0:
        raise AssertionError(f"arcwise locate: exit {answer.returncode}: {answer.stderr.decode()}")
    lines = answer.stdout.split(b"\n")[:-1]
    if len(lines) != len(keys):
        raise AssertionError(f"arcwise locate: {len(keys)} keys, {len(lines)} answers")
    return [line.rsplit(b"\t", 1)[1].decode().split(",") for line in lines]


def debian_version(package):
    """The upstream version of a package whose programs do not tell it."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False)
    return (re.match(r"[\d.]+", done.stdout) or ["?"])[0]


def python_module(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise AssertionError(f"{name} is not installed for {sys.executable}: {error} (packaging/apt-packages.txt lists it)") from error


class Tally:
    """One program's lists, keys and mismatches."""

    def __init__(self, program, version):
        self.program, self.version = program, version
        self.lists = self.keys = self.mismatches = 0
        self.wrong = []

    def compare(self, what, keys, really, arcwise):
        """Owners of the keys of one list: the program's, and Arcwise's."""
        if not len(keys) == len(really) == len(arcwise):
            raise AssertionError(f"{self.program}, {what}: {len(keys)} keys, {len(really)} and {len(arcwise)} answers")
        if len(set(keys)) < KEYS:
            raise AssertionError(f"{self.program}, {what}: only {len(set(keys))} different keys")
        self.lists += 1
        self.keys += len(keys)
        bad = [f"{key!r}: really {true}, Arcwise says {ours}" for key, true, ours in zip(keys, really, arcwise) if true != ours]
        self.wrong += [f"{what}: {len(bad)} of {len(keys)} keys"] + bad[:3] if bad else []
        self.mismatches += len(bad)

    def row(self):
        return f"| {self.program} | {self.version} | {self.lists} | {self.keys} | {self.mismatches} |"


class Table:
    """The rows of a script, printed when it ends and kept beside the build."""

    def __init__(self, name):
        self.name, self.tallies = name, []

    def check(self, test, tally):
        test.maxDiff = None
        """Fails on a mismatch, on too few keys, and where the documents say something else."""
        self.tallies.append(tally)
        test.assertEqual(tally.wrong, [], f"seed {SEED}")
        test.assertGreaterEqual(tally.lists, LISTS)
        test.assertGreaterEqual(tally.keys, LISTS * KEYS)
        documented = [[cell.strip() for cell in line.split("|")[1:-1]] for line in DOCUMENT.read_text(encoding="utf-8").splitlines()
                      if line.startswith("| ")]
        if [tally.program, str(tally.lists), str(tally.keys), "0"] not in [[cells[0], *cells[2:]] for cells in documented]:
            test.fail(f"{DOCUMENT.name} has no such row: {tally.row()}")

    def close(self):
        text = "".join(tally.row() + "\n" for tally in self.tallies)
        print(f"\nseed {SEED} (ARCWISE_SEED=N takes another)\n| program | version | lists | keys | mismatches |\n{text}", flush=True)
        folder = os.path.join(os.environ["ARCWISE_BUILD"], "real-programs") if "ARCWISE_BUILD" in os.environ else None
        if folder:
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, self.name + ".txt"), "w", encoding="utf-8") as file:
                file.write(text)
