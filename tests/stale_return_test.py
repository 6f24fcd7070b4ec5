#!/usr/bin/env python3
"""No value comes back: while servers are stopped, cut off and restarted, no read through the router finds a value older than the
last acknowledged write. Beside it, what does let values come back, so that the checker is seen to find them."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from islands import Island, private_network  # noqa: E402
from protocols import Memcached  # noqa: E402
from router import ARCWISED, Speaker  # noqa: E402
from servers import Processes, free_ports, listens, program, wait_until  # noqa: E402
from staleness import Checker, Ledger  # noqa: E402

ISLANDS = 8
ALL = ["stopped", "cut off", "restarted"]


class TheLedger(unittest.TestCase):
    def reads(self, *found):
        """Of a key whose first write was acknowledged, whose second was not, and whose third was."""
        ledger = Ledger(["k"])
        for version, acknowledged in ((1, True), (2, False), (3, True)):
            self.assertEqual(ledger.write("k"), version)
            if acknowledged:
                ledger.acknowledge("k", version)
        ledger.write("k")
        floor = ledger.begin_read("k")
        ledger.acknowledge("k", 4)
        for version in found:
            ledger.end_read("k", floor, version)
        return ledger.stale

    def test_nothing_the_last_acknowledged_write_and_later_ones_may_be_read(self):
        self.assertEqual(self.reads(None, 3, 4), [])

    def test_what_was_acknowledged_before_and_what_never_was_may_not_come_back(self):
        self.assertEqual(self.reads(1), ["k: version 1 was read after version 3 had been acknowledged"])
        self.assertEqual(len(self.reads(2)), 1)

    def test_what_was_never_written_is_no_answer(self):
        with self.assertRaisesRegex(AssertionError, "never written"):
            self.reads(5)


class Cut(unittest.TestCase):
    PROTOCOL = Memcached

    @classmethod
    def server(cls, address):
        return [program("memcached"), "-u", "root", "-l", address, "-p", "11211", "-m", "64", "-t", "2"]

    @classmethod
    def setUpClass(cls):
        cls.processes = Processes().__enter__()
        cls.addClassCleanup(cls.processes.__exit__)
        cls.islands = []
        for i in range(ISLANDS):
            cls.islands.append(Island(i, cls.server, cls.processes.folder))
            cls.addClassCleanup(cls.islands[-1].close)

    def setUp(self):
        for island in self.islands:
            wait_until(lambda island=island: self.empty(island), f"{island.name} answers")

    def empty(self, island):
        if not listens((island.address, 11211)):
            return False
        client = Speaker((island.address, 11211), self.PROTOCOL)
        self.addCleanup(client.close)
        return client.ask(self.PROTOCOL.EMPTY).done

    def nutcracker_yml(self, port, **settings):
        settings = {"hash": "fnv1a_64", "distribution": "ketama", "timeout": 30, **settings}
        path = os.path.join(self.processes.folder, f"{port}.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"cache:\n  listen: 127.0.0.1:{port}\n" + "".join(f"  {k}: {v}\n" for k, v in settings.items()) +
                       "  servers:\n" + "".join(f"   - {i.address}:11211:1 {i.name}\n" for i in self.islands))
        return path

    def run_checker(self, command, port, seed, outages, kinds, settle=0.0, until_stale=False):
        self.processes.start(command, port)
        checker = Checker(port, self.PROTOCOL, self.islands, seed)
        self.addCleanup(checker.close)
        ledger = checker.ledger
        checker.talk(lambda: all(ledger.acknowledged.values()), 20, "each key is written")
        checker.find_owners(self.held)
        checker.outages(outages, kinds, settle, (lambda: bool(ledger.stale)) if until_stale else (lambda: False))
        return checker

    def held(self, island, keys):
        client = Speaker((island.address, 11211), self.PROTOCOL)
        self.addCleanup(client.close)
        return [key for key in keys if client.get(key).value is not None]


class NoneComesBack(Cut):
    def test_with_the_default_policy_no_read_is_older_than_the_last_acknowledged_write(self):
        port = free_ports(1)[0]
        checker = self.run_checker([ARCWISED, "--config", self.nutcracker_yml(port)], port, 1, 200, ALL)
        self.assertEqual(checker.ledger.stale, [])
        self.assertGreaterEqual(checker.seen.outages, 200)
        self.assertGreater(checker.seen.failed, 200, "they were felt")
        self.assertGreater(checker.seen.reads, 5000)


class SomeComeBack(Cut):
    def test_the_checker_finds_what_comes_back_behind_nutcracker_that_ejects(self):
        port, stats = free_ports(2)
        config = self.nutcracker_yml(port, auto_eject_hosts="true", server_failure_limit=1, server_retry_timeout=100)
        checker = self.run_checker([program("nutcracker"), "-c", config, "-s", str(stats)], port, 1, 100, ["stopped", "cut off"], 0.4,
                                   True)
        self.assertNotEqual(checker.ledger.stale, [])

    def test_the_ledger_finds_what_comes_back_behind_a_client_that_ejects(self):
        import pymemcache  # pylint: disable=import-outside-toplevel
        client = pymemcache.HashClient([(island.address, 11211) for island in self.islands], connect_timeout=0.1, timeout=0.1,
                                       retry_attempts=0, dead_timeout=0.2, ignore_exc=True)
        ledger, key = Ledger(["k"]), "k"
        self.assertTrue(client.set(key, str(ledger.write(key)), noreply=False))
        ledger.acknowledge(key, 1)
        self.addCleanup(client.close)
        owner = next(island for island in self.islands if self.held(island, [b"k"]))
        owner.pull_cable()
        wait_until(lambda: not listens((owner.address, 11211)), "it is cut off")
        while not client.set(key, str(ledger.write(key)), noreply=False):
            pass  # until another server takes it
        ledger.acknowledge(key, ledger.issued[key])
        owner.plug_cable()

        def comes_back():
            found = client.get(key)
            ledger.end_read(key, ledger.acknowledged[key], found and int(found))
            return ledger.stale
        wait_until(comes_back, "an old value comes back")


if __name__ == "__main__":
    private_network()
    unittest.main()
