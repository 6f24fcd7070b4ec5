#!/usr/bin/env python3
"""What of other systems' own protocol suites comes with their packages, run through the router. tools/protocol_suites.py runs all of
them."""
# Plain build only: its test client waits for whole seconds.
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.environ.get("ARCWISE_SOURCE") or os.getcwd()
sys.path[:0] = [os.path.join(SOURCE, "tools", "suites"), os.path.join(SOURCE, "tests", "support")]
import memcached_behind_router  # noqa: E402
import small_suites  # noqa: E402
from servers import connection, free_ports, wait_until, listens  # noqa: E402


class Suites(unittest.TestCase):
    def test_libmemcacheds_test_of_the_text_protocol_passes_with_one_server_and_with_four(self):
        for servers in (1, 4):
            results = small_suites.memcapable(servers)
            self.assertGreaterEqual(len(results), 25)
            self.assertEqual([name for name, passed in results if not passed], [], f"{servers} servers")

    def test_what_does_not_apply_is_listed_with_a_pattern_and_a_reason(self):
        with open(os.path.join(SOURCE, "tools", "suites", "not_applicable.txt"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split(" | ") for line in file if line.strip() and not line.startswith("#")]
        self.assertGreater(len(rows), 10)
        for row in rows:
            self.assertEqual(len(row), 3, row)
            self.assertIn(row[0], ("memcached", "memcached, 4 servers", "redis", "redis, 3 servers", "hiredis", "twemproxy"))
            re.compile(row[1])
            self.assertGreater(len(row[2]), 15)

    def test_a_memcached_behind_the_router_is_started_and_stopped_as_memcached_is(self):
        port = free_ports(1)[0]
        command = [sys.executable, memcached_behind_router.__file__, "-u", "root", "-p", str(port), "-U", "0", "-I", "2m"]
        process = subprocess.Popen(command, env=dict(os.environ, SUITE_SERVERS="2"))
        try:
            wait_until(lambda: process.poll() is not None or listens(port), "it listens")
            with connection(port, 10) as client:
                client.sendall(b"set a 0 0 1500000\r\n" + b"x" * 1500000 + b"\r\nstats backends\r\n")
                answer = b""
                while b"END\r\n" not in answer:
                    answer += client.recv(1 << 16)
            self.assertTrue(answer.startswith(b"STORED\r\n"), answer[:100])
            self.assertIn(b"STAT s1:", answer, "it is the router that answers")
        finally:
            process.terminate()
            process.wait(timeout=20)
        self.assertFalse(listens(port))


if __name__ == "__main__":
    unittest.main()
