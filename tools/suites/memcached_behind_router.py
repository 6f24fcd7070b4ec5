#!/usr/bin/env python3
"""A memcached, to who starts it with memcached's own options: its address is arcwised's, with the real servers behind on sockets that
nobody else knows. Signals go to both; it ends with the server."""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tests", "support"))
from servers import program  # noqa: E402

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
ADDRESS = {"-p", "-s", "-l", "-U"}


def split(words):
    """What says where it listens, and all else."""
    address, others, words = {}, [], list(words)
    while words:
        word = words.pop(0)
        if word[:2] in ADDRESS:
            address[word[:2]] = word[2:] or words.pop(0)
        else:
            others.append(word)
    if others[-2:] == ["-o", "relaxed_privileges"]:  # known to builds with seccomp alone
        del others[-2:]
    return address, others


def option(words, name, default):
    """A number, which may have a unit."""
    text = next((words[i + 1] for i, word in enumerate(words[:-1]) if word == name), default)
    digits, unit = re.fullmatch(r"(\d+)([kmg]?)", text.lower()).groups()
    return int(digits) * UNITS[unit]


def connects(path):
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


def configuration(listen, servers, others):
    lines = ["arcwised: 1", "log_level: alarm", "pools:", "  suite:", f"    listen: \"{listen}\"", "    protocol: memcached",
             "    timeout: 10s", f"    largest_value: {option(others, '-I', '1m')}B",
             f"    clients: {option(others, '-c', '1024')}", "    map:", "      arcwise: 1",
             "      cluster: suite", "      epoch: 1", "      placement: {recipe: ring, hash: xxh3, tokens: 64}", "      nodes:"]
    lines += [f"        - {{name: s{i}, address: \"{path}\"}}" for i, path in enumerate(servers)]
    return "\n".join(lines) + "\n"


def main():
    real, router = program("memcached"), os.environ["ARCWISED"]
    address, others = split(sys.argv[1:])
    servers = int(os.environ.get("SUITE_SERVERS", "1"))
    if not servers or {"-h", "-i", "-V"} & set(others) or not {"-p", "-s"} & set(address):
        os.execv(real, [real, *others, *(word for pair in address.items() for word in pair)])
    # Where ServersOwn.pm finds the servers themselves.
    folder = os.path.join(tempfile.gettempdir(), "arcwise-suite." + os.path.basename(address.get("-s") or address["-p"]))
    os.mkdir(folder)
    paths = [os.path.join(folder, f"s{i}") for i in range(servers)]
    started = [subprocess.Popen([real, *others, "-s", path], stdin=subprocess.DEVNULL) for path in paths]

    def end(number, _):
        for process in started:
            process.send_signal(number)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, end)
    try:
        while not all(map(connects, paths)):
            if started[0].poll() is not None:
                return started[0].returncode
            time.sleep(0.01)
        listen = address.get("-s") or f"{address.get('-l', '127.0.0.1').split(',')[-1].split(':')[-1]}:{address['-p']}"
        with open(os.path.join(folder, "router.yaml"), "w", encoding="utf-8") as file:
            file.write(configuration(listen, paths, others))
        front = subprocess.Popen([router, "--config", file.name], stdin=subprocess.DEVNULL)
        started.append(front)
        status = started[0].wait()
        front.terminate()
        front.wait(timeout=10)
        return status
    finally:
        for process in started:
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
