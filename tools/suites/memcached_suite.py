"""memcached's own t/*.t: each starts its server, and gets one behind a router."""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def prepare(source, copy, listed):
    """A copy whose server is ours. A test is left out of it where it waits for what never comes: `t/cas.t! PATTERN of its lines`."""
    shutil.copytree(os.path.join(source, "t"), os.path.join(copy, "t"))
    write(os.path.join(copy, "timedrun"), "#!/bin/sh\nshift\nexec \"$@\"\n")
    write(os.path.join(copy, "memcached-debug"),
          f"#!/bin/sh\nexec /usr/bin/python3 {os.path.join(HERE, 'memcached_behind_router.py')} \"$@\"\n")
    left_out = {}
    for pattern in listed.patterns:
        name, _, lines = pattern.partition("! ")
        if lines:
            path = os.path.join(copy, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text, left_out[name] = re.subn(f"(?m)^(?=.*{lines})", "#", text)
            write(path, text)
    return left_out


def results_of(copy, name, servers, left_out):
    environment = dict(os.environ, SUITE_SERVERS=str(servers))
    try:
        done = subprocess.run(["perl", f"-I{HERE}", "-It/lib", "-MServersOwn", name], cwd=copy, env=environment, capture_output=True, timeout=300,
                              check=False)
        said = done.stdout
    except subprocess.TimeoutExpired as late:
        said = late.stdout or b""
    said = said.decode(errors="replace")
    plan = re.search(r"^1\.\.(\d+)", said, re.MULTILINE)
    found = re.findall(r"^(not )?ok (\d+)(?: - (.*))?$", said, re.MULTILINE)
    results = [(f"{name}: {what or number}"[:200], not bad) for bad, number, what in found]
    planned = int(plan[1]) - left_out if plan else 0
    if len(found) < planned or not plan:
        results.append((f"{name}: ends after {len(found)} of {planned}", False))
    return results + [(f"{name}: left out", None)] * left_out


def memcached_suite(folder, listed, servers):
    source = glob.glob(os.path.join(folder, "memcached-*/"))[0]
    copy = tempfile.mkdtemp(prefix="arcwise-suite-t-")
    try:
        left_out = prepare(source, copy, listed)
        names = sorted(f"t/{os.path.basename(path)}" for path in glob.glob(os.path.join(copy, "t", "*.t")))
        results = [(name, None) for name in names if listed.has(name)]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for found in pool.map(lambda name: results_of(copy, name, servers, left_out.get(name, 0)),
                                  [name for name in names if not listed.has(name)]):
                results += found
        return results
    finally:
        shutil.rmtree(copy, ignore_errors=True)
