#!/usr/bin/env python3
"""What the router says of itself: each kind of event is documented as it is in the sources, and its life can be read from the log."""
import glob
import os
import re
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router_operations_test import SOURCE, Operations, check  # noqa: E402
from servers import free_ports, stop, wait_until  # noqa: E402


def in_sources():
    """Each event's severities, by name."""
    found = {}
    for path in glob.glob(os.path.join(SOURCE, "src", "router", "*.cpp")):
        if path.endswith(("_test.cpp", "_bench.cpp")):
            continue
        with open(path, encoding="utf-8") as file:
            for severity, name in re.findall(r"Severity::(\w+),\s*\"(\w+)\"", file.read()):
                found.setdefault(name, set()).add(severity)
    return found


class Documented(unittest.TestCase):
    def test_every_event_is_documented_with_its_severity_and_no_other_is(self):
        with open(os.path.join(SOURCE, "docs", "router.md"), encoding="utf-8") as page:
            rows = re.findall(r"(?m)^\| `(\w+)` \| (note|warning|alarm) \| (.*) \|$", page.read())
        documented = {name: {severity} | ({"warning"} if "a warning where" in when else set()) for name, severity, when in rows}
        self.assertGreater(len(documented), 20)
        self.assertEqual(documented, in_sources())


class Life(Operations):
    def event(self, name):
        found = re.search(rf"(?m)^.*level=(\w+) event={name} .*?text=\"(.*)\"$", self.said())
        return found.groups() if found else None

    def test_start_drain_and_end_are_told(self):
        port, server = free_ports(2)
        self.memcached(server)
        self.start(self.own(f"127.0.0.1:{port}", addresses=[f"127.0.0.1:{server}"]), port)
        wait_until(lambda: self.event("started"), "the start is told")
        self.assertRegex(self.event("started")[1], rf"^arcwised [0-9.]+, process {self.process.pid}, one thread, pools: cache$")
        self.process.terminate()
        self.assertEqual(self.process.wait(timeout=10), 0)
        self.assertEqual(self.event("draining")[0], "note")
        self.assertRegex(self.event("draining")[1], r"^told to end \(TERM\): nobody new is taken, .* for 5s at most$")
        self.assertEqual(self.event("ended")[0], "note")
        self.assertRegex(self.event("ended")[1], r"^after \d+ ms: all clients had been answered$")

    def test_who_is_cut_off_at_the_end_is_told(self):
        port, server = free_ports(2)
        memcached = self.memcached(server)
        for times, said in ((1, r"^after \d+ ms: clients that still waited for an answer were cut off$"), (2, "^told twice to end")):
            drain = "300ms" if times == 1 else "1min"
            self.start(self.own(f"127.0.0.1:{port}", addresses=[f"127.0.0.1:{server}"]), port, "--set", "drain=" + drain,
                       "--timeout", "1min")
            client = self.client(port)
            self.assertEqual(client.say("set k 0 0 1\r\n1\r\n").line(), "STORED")
            stop(memcached)
            try:
                client.say("get k\r\n")
                time.sleep(0.1)
                for _ in range(times):
                    self.process.terminate()
                    wait_until(lambda: self.event("draining"), "it has heard")
                self.assertEqual(self.process.wait(timeout=20), times - 1)
            finally:
                memcached.send_signal(signal.SIGCONT)
            self.assertEqual(self.event("ended")[0], "warning")
            self.assertRegex(self.event("ended")[1], said)

    def test_few_descriptors_are_told_where_they_matter_and_not_at_every_start(self):
        port, other = free_ports(2)
        two = ("arcwised: 1\npools:\n" + "".join(
            f"  {name}:\n    listen: 127.0.0.1:{listen}\n    protocol: memcached\n    map: map.yaml\n" for name, listen in
            (("one", port), ("two", other))))
        self.write("map.yaml", self.map_text(1, ["127.0.0.1:1"]))
        for text, limit, told in ((two, 4096, False), (two, 1024, True), (two + "    clients: 5000\n", 4096, True)):
            self.start(self.write("arcwised.yaml", text), port, limit=limit)
            wait_until(lambda: self.event("started"), "it has started")
            self.assertEqual(bool(self.event("few_descriptors")), told, self.said())
            self.process.terminate()
            self.assertEqual(self.process.wait(timeout=10), 0)


class Refused(Operations):
    def test_a_check_and_a_start_end_with_3_where_a_folder_cannot_be_used(self):
        config = self.own("127.0.0.1:0", top="state: /nowhere/at/all\n", addresses=["127.0.0.1:1"])
        code, _, error = check(config)
        self.assertEqual(code, 3)
        self.assertIn(f"{config}:2: `state` cannot be written to: No such file or directory", error)

    def test_a_nutcracker_yml_whose_server_is_the_router_itself_is_refused(self):
        path = self.write("n.yml", "p:\n  listen: 0.0.0.0:22121\n  servers:\n   - 127.0.0.1:22121:1 a\n")
        code, _, error = check(path)
        self.assertEqual(code, 2)
        self.assertIn(f"{path}:3: node a leads back to pool p", error)


if __name__ == "__main__":
    unittest.main()
