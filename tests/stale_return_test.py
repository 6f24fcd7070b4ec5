#!/usr/bin/env python3
"""No value comes back: while servers are stopped, cut off and restarted, no read through the router finds a value older than the
last acknowledged write. Beside it, what does let values come back, so that the checker is seen to find them."""
# Plain build only: it takes a minute, and of the router asks the same as router_faults_test.py.

import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from islands import Island, private_network  # noqa: E402
from protocols import Memcached, Redis  # noqa: E402
from router import ARCWISED, Speaker  # noqa: E402
from servers import Processes, free_ports, listens, program, wait_until  # noqa: E402
from staleness import Checker, Ledger  # noqa: E402

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
    """Islands of one protocol, and routers before them."""
    protocol, count = Memcached, 8

    @classmethod
    def server(cls, address):
        if cls.protocol.is_redis:
            return [program("redis-server"), "--bind", address, "--port", "7000", "--save", "", "--protected-mode", "no", "--dir",
                    cls.processes.folder]
        return [program("memcached"), "-u", "root", "-l", address, "-p", "7000", "-m", "64", "-t", "2"]

    @classmethod
    def setUpClass(cls):
        cls.processes = Processes().__enter__()
        cls.addClassCleanup(cls.processes.__exit__)
        cls.islands = []
        for i in range(cls.count):
            cls.islands.append(Island(i, cls.server, cls.processes.folder))
            cls.addClassCleanup(cls.islands[-1].close)

    def setUp(self):
        for island in self.islands:
            wait_until(lambda island=island: self.empty(island), f"{island.name} answers")

    def empty(self, island):
        if not listens((island.address, 7000)):
            return False
        client = Speaker((island.address, 7000), self.protocol)
        self.addCleanup(client.close)
        return client.ask(self.protocol.EMPTY).done

    def held(self, island, keys):
        client = Speaker((island.address, 7000), self.protocol)
        self.addCleanup(client.close)
        return [key for key in keys if client.get(key).value is not None]

    def write(self, name, text):
        path = os.path.join(self.processes.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def nutcracker_yml(self, port, **settings):
        settings = {"hash": "fnv1a_64", "distribution": "ketama", "timeout": 30, **settings}
        return self.write(f"{port}.yml", f"cache:\n  listen: 127.0.0.1:{port}\n" +
                          "".join(f"  {k}: {v}\n" for k, v in settings.items()) + "  servers:\n" +
                          "".join(f"   - {i.address}:7000:1 {i.name}\n" for i in self.islands))

    def arcwised(self, **settings):
        """A router of two threads with these settings; its port."""
        port = free_ports(1)[0]
        return self.start([ARCWISED, "--config", self.configured(port, 1, **settings)], port)

    def configured(self, port, epoch, **settings):
        settings = {"timeout": "30ms", "probe_every": "50ms", "longest_ttl": "1s", **settings}
        nodes = "".join(f"        - {{name: {i.name}, address: '{i.address}:7000'}}\n" for i in self.islands)
        config = (f"arcwised: 1\nthreads: 2\npools:\n  cache:\n    listen: 127.0.0.1:{port}\n"
                  f"    protocol: {'redis' if self.protocol.is_redis else 'memcached'}\n" +
                  "".join(f"    {k}: {v}\n" for k, v in settings.items()) +
                  f"    map:\n      arcwise: 1\n      epoch: {epoch}\n      placement: {{recipe: ring, tokens: 64}}\n      nodes:\n{nodes}")
        path = self.write(f"{port}.yaml.next", config)
        os.replace(path, path[:-5])
        return path[:-5]

    def start(self, command, port):
        self.processes.start(command, port)
        self.addCleanup(self.processes.started[-1].kill)
        return port

    def check(self, ports, seed, outages, kinds=None, settle=None, until_stale=False, meanwhile=lambda: None):
        """Before the routers at these ports; what was seen."""
        checker = Checker([ports] if isinstance(ports, int) else ports, self.protocol, self.islands, seed)
        self.addCleanup(checker.close)
        ledger = checker.ledger
        checker.find_owners(self.held)
        checker.outages(outages, kinds or ALL, settle, (lambda: until_stale and bool(ledger.stale)), meanwhile)
        return checker

    def none_comes_back(self, ports, seed, outages, settle=None, meanwhile=lambda: None):
        checker = self.check(ports, seed, outages, ALL, settle, False, meanwhile)
        self.assertEqual(checker.ledger.stale, [])
        self.assertGreaterEqual(checker.seen.outages, outages)
        self.assertGreater(checker.seen.failed, outages, "they were felt")
        self.assertGreater(checker.seen.reads, outages * 20)
        return checker.seen

    def some_come_back(self, port, seed, kinds=None, settle=None):
        checker = self.check(port, seed, 400, kinds, settle, True)
        self.assertNotEqual(checker.ledger.stale, [])
        return checker.seen


SOME_TIME = (0.2, 1.4)  # from a return to the next outage, where keys are served elsewhere meanwhile


class NoneComesBack(Cut):
    def test_with_the_default_policy_no_read_is_older_than_the_last_acknowledged_write(self):
        port = free_ports(1)[0]
        self.start([ARCWISED, "--config", self.nutcracker_yml(port)], port)
        self.none_comes_back(port, 1, 200)

    def test_nor_with_the_next_owner_and_a_fence(self):
        seen = self.none_comes_back(self.arcwised(on_failure="next"), 2, 60, SOME_TIME)
        self.assertGreater(seen.elsewhere, 10)

    def test_nor_with_the_next_owner_and_a_flush(self):
        seen = self.none_comes_back(self.arcwised(on_failure="next", on_return="flush"), 3, 30, SOME_TIME)
        self.assertGreater(seen.elsewhere, 10)

    def test_nor_with_reads_that_are_shared_and_asked_again(self):
        self.none_comes_back(self.arcwised(coalesce="true", retry_budget="50%", on_failure="miss"), 11, 40)

    def test_nor_while_maps_are_swapped(self):
        port, epoch, due = self.arcwised(), 1, 0

        def swap():
            nonlocal epoch, due
            if time.monotonic() < due:
                return
            due, epoch = time.monotonic() + 0.05, epoch + 1
            self.configured(port, epoch)
            self.processes.started[-1].send_signal(signal.SIGHUP)
        self.none_comes_back(port, 10, 40, None, swap)
        with open(os.path.join(self.processes.folder, f"{port}.log"), encoding="utf-8") as log:
            self.assertGreater(log.read().count("map_adopted"), 20)

    def test_nor_through_two_routers_where_each_key_is_written_through_one(self):
        self.none_comes_back([self.arcwised(), self.arcwised(on_failure="miss")], 12, 60)

    def test_nor_with_spare_servers(self):
        spare = free_ports(3)[1:]
        for port in spare:
            self.start([program("memcached"), "-u", "root", "-l", "127.0.0.1", "-p", str(port)], port)
        port = self.arcwised(on_failure="gutter", gutter="[" + ", ".join(f"'127.0.0.1:{port}'" for port in spare) + "]")
        self.assertGreater(self.none_comes_back(port, 4, 30, SOME_TIME).elsewhere, 10)


class NoneComesBackFromRedis(Cut):
    protocol = Redis

    def test_with_the_default_policy(self):
        self.none_comes_back(self.arcwised(), 5, 40)

    def test_nor_with_the_next_owner_and_a_fence(self):
        self.assertGreater(self.none_comes_back(self.arcwised(on_failure="next"), 6, 30, SOME_TIME).elsewhere, 10)


class SomeComeBack(Cut):
    """What lets values come back, so that the checker is seen to find them."""

    def test_behind_nutcracker_that_ejects(self):
        port, stats = free_ports(2)
        config = self.nutcracker_yml(port, auto_eject_hosts="true", server_failure_limit=1, server_retry_timeout=100)
        self.start([program("nutcracker"), "-c", config, "-s", str(stats)], port)
        self.some_come_back(port, 7, ["stopped", "cut off"], SOME_TIME)

    def test_without_draining(self):
        self.some_come_back(self.arcwised(draining="false", last_retry="50ms"), 8, ["cut off"], SOME_TIME)

    def test_with_the_next_owner_and_what_a_server_had_before(self):
        self.some_come_back(self.arcwised(on_failure="next", on_return="keep"), 9, ["stopped", "cut off"], SOME_TIME)

    def test_with_ejection(self):
        self.some_come_back(self.arcwised(auto_eject="true", failure_limit=1, eject_for="200ms"), 10, ["stopped", "cut off"], SOME_TIME)

    def test_behind_a_client_that_ejects(self):
        import pymemcache  # pylint: disable=import-outside-toplevel
        client = pymemcache.HashClient([(island.address, 7000) for island in self.islands], connect_timeout=0.1, timeout=0.1,
                                       retry_attempts=0, dead_timeout=0.2, ignore_exc=True)
        ledger, key = Ledger(["k"]), "k"
        self.assertTrue(client.set(key, str(ledger.write(key)), noreply=False))
        ledger.acknowledge(key, 1)
        self.addCleanup(client.close)
        owner = next(island for island in self.islands if self.held(island, [b"k"]))
        owner.pull_cable()
        wait_until(lambda: not listens((owner.address, 7000)), "it is cut off")
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
