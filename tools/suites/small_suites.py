"""The suites that are one program each."""
import glob
import os
import re
import subprocess
import sys

from memcached_behind_router import configuration
from redis_suite import start
from servers import Processes, free_ports, program

HERE = os.path.dirname(os.path.abspath(__file__))


def memcapable(servers):
    """libmemcached's test of a server's text protocol."""
    with Processes() as processes:
        port = free_ports(1)[0]
        paths = [os.path.join(processes.folder, f"s{i}") for i in range(servers)]
        for path in paths:
            processes.start([program("memcached"), "-u", "root", "-s", path], path)
        config = os.path.join(processes.folder, "router.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(configuration(f"127.0.0.1:{port}", paths, []))
        processes.start([os.environ["ARCWISED"], "--config", config], port)
        done = subprocess.run([program("memccapable"), "-h", "127.0.0.1", "-p", str(port), "-a", "-t", "5"], capture_output=True, text=True,
                              timeout=120, check=False)
    return [(name, verdict == "pass") for name, verdict in re.findall(r"^(ascii [\w ]+?)\s+\[(\w+)\]", done.stdout, re.MULTILINE)]


def hiredis(folder):
    """Its test.c, compiled here."""
    source = glob.glob(os.path.join(folder, "hiredis-*/"))[0]
    with Processes() as processes:
        binary = os.path.join(processes.folder, "hiredis-test")
        files = [name for name in ("net.c", "hiredis.c", "sds.c", "async.c", "read.c", "alloc.c", "test.c") if os.path.exists(os.path.join(source, name))]
        subprocess.run(["gcc", "-std=gnu99", "-w", "-O1", "-o", binary, *files], cwd=source, check=True)
        ports = free_ports(2)
        start(processes, ports, redis_db=9)
        done = subprocess.run(["stdbuf", "-oL", binary, "-p", str(ports[0]), "-s", os.path.join(processes.folder, "suite.sock"), "--skip-throughput"],
                              capture_output=True, text=True, timeout=120, check=False)
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    results = [(name, verdict == "PASSED") for name, verdict in re.findall(r"^#\d+ (.*?): .*?(PASSED|FAILED)", said, re.MULTILINE)]
    return results + ([] if done.returncode >= 0 else [(f"ends after {len(results)}: {done.stderr.strip()[-200:]}", False)])


def twemproxy(folder):
    """nutcracker's own tests, with the router in its place."""
    source = glob.glob(os.path.join(folder, "twemproxy-*/"))[0]
    done = subprocess.run([sys.executable, os.path.join(HERE, "twemproxy_tests.py"), os.path.join(source, "tests")], env=dict(os.environ, T_LOGFILE="-"),
                          capture_output=True, text=True, timeout=300, check=False)
    if os.environ.get("SUITE_LOGS"):
        with open(os.path.join(os.environ["SUITE_LOGS"], "twemproxy.txt"), "w", encoding="utf-8") as file:
            file.write(done.stdout + done.stderr)
    return [(name, verdict == "ok") for name, verdict in re.findall(r"^(test_\S+) (ok|failed)", done.stdout, re.MULTILINE)]
