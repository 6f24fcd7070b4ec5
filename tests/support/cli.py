"""The command line as tests start it."""

import json
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(os.environ.get("ARCWISE_SOURCE") or pathlib.Path(__file__).resolve().parent.parent.parent)
ARCWISE = os.environ.get("ARCWISE") or str(SOURCE / "build/bin/arcwise")
EXAMPLES = SOURCE / "examples"
CARTS = str(EXAMPLES / "carts.yaml")
RING = str(EXAMPLES / "nodetool-ring.txt")
SLOTS = str(EXAMPLES / "cluster-nodes.txt")
SANITIZED = "sanitize" in subprocess.run(["nm", "-D", ARCWISE], capture_output=True, text=True).stdout or \
    "asan" in subprocess.run(["ldd", ARCWISE], capture_output=True, text=True).stdout

SMALL = """arcwise: 1
cluster: small
epoch: 3
placement: {recipe: ring, tokens: 8}
replicas: {count: 2}
nodes: [{name: a}, {name: b}, {name: c}]
"""


def run(*words, stdin=b"", env=None, **more):
    return subprocess.run([ARCWISE, *words], input=stdin, capture_output=True, timeout=300,
                          env={**os.environ, **(env or {})}, **more)


def answer(*words, code=0, **more):
    """The JSON that a command prints."""
    done = run(*words, "--json", **more)
    assert done.returncode == code, (words, done.returncode, done.stderr.decode())
    return json.loads(done.stdout)
