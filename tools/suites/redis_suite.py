"""Redis' own tests of commands, against an address that is a router's."""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import tempfile

from servers import Processes, free_ports, program

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS = """type/string type/incr type/list type/list-2 type/list-3 type/set type/zset type/hash type/stream type/stream-cgroups keyspace scan
 expire sort multi scripting functions bitops bitfield geo hyperloglog protocol quit dump other auth limits lazyfree introspection introspection-2
 memefficiency violations""".split()


def start(processes, ports, **settings):
    """Servers behind a router; where that listens. Keys are placed as by twemproxy, so that {tags} hold together what belongs together."""
    for port in ports[1:]:
        own = os.path.join(processes.folder, str(port))
        os.mkdir(own)
        processes.start([program("redis-server"), "--save", "", "--port", str(port), "--bind", "127.0.0.1", "--dir", own, "--enable-debug-command",
                         "yes"], port)
    lines = []
    for number, listen in enumerate([f"127.0.0.1:{ports[0]}", os.path.join(processes.folder, "suite.sock")]):
        lines += [f"suite{number}:", f"  listen: {listen}", "  redis: true", "  hash: fnv1a_64", "  distribution: ketama", "  hash_tag: \"{}\"",
                  "  timeout: 20000"] + [f"  {key}: {value}" for key, value in settings.items()] + ["  servers:"]
        lines += [f"  - 127.0.0.1:{port}:1 s{port}" for port in ports[1:]]
    path = os.path.join(processes.folder, "router.yml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    processes.start([os.environ["ARCWISED"], "--config", path], ports[0])


def prepare(source, copy):
    """Its client tells what is for administrators to the servers themselves."""
    shutil.copytree(os.path.join(source, "tests"), os.path.join(copy, "tests"), ignore=shutil.ignore_patterns("modules", "sentinel"))
    path = os.path.join(copy, "tests", "test_helper.tcl")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    line = "source tests/support/util.tcl\n"
    assert line in text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(line, f"{line}source {os.path.join(HERE, 'administrators.tcl')}\n", 1))


def results_of(copies, unit, ports, listed):
    """On servers of its own, for what one unit leaves behind is not another's."""
    copy = copies.pop()
    try:
        with Processes() as processes:
            start(processes, ports)
            skip = os.path.join(processes.folder, "skip")
            with open(skip, "w", encoding="utf-8") as file:
                file.write("\n".join(f"/^({pattern})$" for pattern in listed.patterns))
            servers = ",".join(map(str, ports[1:]))
            command = ["tclsh", "tests/test_helper.tcl", "--host", "127.0.0.1", "--port", str(ports[0]), "--singledb", "--durable", "--clients", "1",
                       "--timeout", "60", "--single", f"unit/{unit}", "--skipfile", skip, "--baseport", str(ports[0] + 40), "--tags",
                       "-needs:repl -needs:save -slow"] + (["--cluster-mode"] if len(ports) > 2 else [])
            try:
                done = subprocess.run(command, cwd=copy, env=dict(os.environ, SUITE_SERVERS=servers), capture_output=True, timeout=240, check=False)
                said = done.stdout
            except subprocess.TimeoutExpired as late:
                said = (late.stdout or b"") + b"\n[exception]: it takes too long\n"
    finally:
        copies.append(copy)
    said = re.sub(r"\x1b\[[0-9;]*m", "", said.decode(errors="replace"))
    if os.environ.get("SUITE_LOGS"):
        with open(os.path.join(os.environ["SUITE_LOGS"], f"{len(ports) - 1}-{unit.replace('/', '-')}.txt"), "w", encoding="utf-8") as file:
            file.write(said)
    results = [(name, True) for name in re.findall(r"^\[ok\]: (.*?)(?: \(\d+ ms\))?$", said, re.MULTILINE)]
    results += [(name, False) for name in re.findall(r"^\[err\]: (.*?)(?: in tests/\S*)?$", said, re.MULTILINE)]
    results += [(f"unit/{unit}: {what}"[:200], False) for what in re.findall(r"^\[exception\]: (.*)$", said, re.MULTILINE)]
    results += [(name, None) for name in re.findall(r"^\[(?:skip|ignore)\]: (.*)$", said, re.MULTILINE)]
    return results or [(f"unit/{unit}: says nothing", False)]


def redis_suite(folder, listed, servers):
    source = glob.glob(os.path.join(folder, "redis-*/"))[0]
    scratch = tempfile.mkdtemp(prefix="arcwise-suite-r-")
    try:
        copies = [os.path.join(scratch, str(number)) for number in range(3)]
        for copy in copies:
            os.mkdir(copy)
            prepare(source, copy)
        # Apart: the suite looks for a port of its own as well.
        first = free_ports(1)[0]
        ports = [[first + 100 * i + j for j in range(servers + 1)] for i in range(len(UNITS))]
        with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
            found = pool.map(lambda pair: results_of(copies, pair[0], pair[1], listed), zip(UNITS, ports))
            return [result for results in found for result in results]
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
