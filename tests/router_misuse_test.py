#!/usr/bin/env python3
"""The router while clients do what they should not: nobody else is harmed, and little is kept for them."""
import contextlib
import os
import resource
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from faults import KEYS, Faults  # noqa: E402
from protocols import Memcached, Redis  # noqa: E402
from router import ARCWISED  # noqa: E402
from servers import wait_until  # noqa: E402


class Clients:
    def test_one_that_goes_away_in_the_middle_of_a_request_harms_nobody(self):
        steady = self.serve()
        self.fill(steady)
        before = self.descriptors()
        request = self.protocol.set(b"half", b"of half") + self.protocol.get(b"half")
        for cut in range(1, len(request)):
            broken = self.client().say(self.protocol.get(KEYS[cut % len(KEYS)]) * 20 + request[:cut])
            if cut % 2:  # with a reset
                broken.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            broken.close()
            self.assertEqual(steady.get(KEYS[0]).value, b"of " + KEYS[0])
        self.assertEqual(self.failing(steady), set())
        wait_until(lambda: self.descriptors() == before, "descriptors are given back")

    def test_one_that_sends_byte_by_byte_is_answered(self):
        self.fill(self.serve())
        slow = self.client()
        for key in KEYS[:10]:
            for byte in self.protocol.set(key, b"now\r\n" + key) + self.protocol.get(key):
                slow.say(bytes([byte]))
            self.assertTrue(slow.heard().done)
            self.assertEqual(slow.heard().value, b"now\r\n" + key)

    def test_a_hundred_thousand_pipelined_requests_are_answered_in_order(self):
        client = self.serve()
        count = 50_000
        asked = b"".join(self.protocol.set(b"k%d" % (i % 1000), b"%d" % i) + self.protocol.get(b"k%d" % (i % 1000)) for i in range(count))
        saying = threading.Thread(target=client.say, args=(asked,))
        saying.start()
        for i in range(count):
            self.assertTrue(client.heard().done)
            self.assertEqual(client.heard().value, b"%d" % i)
        saying.join()

    def test_one_that_says_all_at_once_and_then_only_listens_is_told_everything(self):
        self.fill(self.serve())
        client, count = self.client(), 5000
        saying = threading.Thread(target=lambda: (client.say(b"".join(self.protocol.get(KEYS[i % 60]) for i in range(count))),
                                                  client.socket.shutdown(socket.SHUT_WR)))
        saying.start()
        for i in range(count):
            self.assertEqual(client.heard().value, b"of " + KEYS[i % 60])
        self.assertIsNone(client.heard())
        saying.join()

    def test_those_that_come_and_go_leave_nothing_behind(self):
        steady = self.serve()
        self.fill(steady)
        before = None
        for turn in range(1000):
            client = self.client()
            self.assertEqual(client.get(KEYS[turn % 60]).value, b"of " + KEYS[turn % 60])
            client.close()
            if turn == 100:
                wait_until(lambda: self.descriptors() < 60, "descriptors are given back")
                before, memory = self.descriptors(), self.resident()
        wait_until(lambda: self.descriptors() <= before, "descriptors are given back")
        self.assertLess(self.resident() - memory, 10, "MB")

    def test_waiting_costs_no_processor_time(self):
        self.fill(self.serve(timeout=4000))
        own = self.keys_of(0)
        with self.stopped(0):
            full = self.client().say(self.protocol.get(own[0]) * 5000)  # more than it may have under way
            waiting = self.client().say(self.protocol.get(own[0]))
            ended = self.client().say(self.protocol.get(own[0]))
            ended.socket.shutdown(socket.SHUT_WR)
            time.sleep(0.2)
            before = self.processor_time()
            time.sleep(1)
            self.assertLess(self.processor_time() - before, 0.3)
        for client in (full, waiting, ended):
            self.assertEqual(client.heard().value, b"of " + own[0])

    def test_one_that_never_reads_costs_little_memory_and_harms_nobody(self):
        steady = self.serve(timeout=10000)
        self.fill(steady)
        self.assertTrue(steady.set(b"large", b"v" * 1_000_000).done)
        before = self.resident()
        deaf = self.client()
        deaf.socket.settimeout(0.5)
        with contextlib.suppress(socket.timeout):
            deaf.say(self.protocol.get(b"large") * 1000)
        for _ in range(20):
            self.assertEqual(self.failing(steady), set())
            self.assertLess(self.resident() - before, 400, "MB, of 1000 that one client does not read")

    def test_many_that_never_read_cost_together_what_few_do(self):
        steady = self.serve(timeout=10000)
        self.fill(steady)
        self.assertTrue(steady.set(b"large", b"v" * 1_000_000).done)
        before = self.resident()
        deaf = [self.client().say(self.protocol.get(b"large") * 200) for _ in range(10)]
        for _ in range(6):
            self.assertEqual(self.failing(steady), set())
            self.assertLess(self.resident() - before, 700, "MB, of 2000 that ten clients do not read")
        for client in deaf:
            client.close()

    def test_those_that_go_on_while_a_server_is_stopped_cost_little_memory(self):
        steady = self.serve(timeout=4000)
        self.fill(steady)
        own = self.keys_of(0)
        large, other = own.pop(), next(key for key in KEYS if key not in own)
        before = self.resident()
        clients = [self.client() for _ in range(8)]
        with self.stopped(0):
            for client in clients:
                client.socket.settimeout(0.3)
                with contextlib.suppress(socket.timeout):
                    client.say(self.protocol.set(large, b"w" * 500_000) * 200)
            self.assertLess(self.resident() - before, 200, "MB, of 800 that were said")
            self.assertEqual(steady.get(other).value, b"of " + other)
        wait_until(lambda: steady.get(own[0]).value, "the server is used again")
        for key in own:
            self.assertEqual(steady.get(key).value, b"of " + key)


    def test_those_that_come_while_a_server_is_away_leave_it_a_descriptor(self):
        self.serve().close()
        self.process.terminate()
        self.process.wait()
        limit = 80
        self.processes.start(["prlimit", f"--nofile={limit}:{limit}", ARCWISED, "--config", os.path.join(self.processes.folder, "pool.yml")],
                             self.port)
        self.process = self.processes.started[-1]
        steady = self.client()
        self.fill(steady)
        own = self.keys_of(0)
        self.started[0].kill()
        self.started[0].wait()
        wait_until(lambda: not steady.get(own[0]).done, "it is gone")
        many = [self.client() for _ in range(2 * limit)]
        self.started[0] = self.begin(self.ports[0])
        wait_until(lambda: steady.set(own[0], b"again").done, "it is reached, though clients would take all there is")
        self.assertGreater(len(many), limit)

    def test_those_that_are_connected_when_it_is_told_to_end_are_answered(self):
        self.fill(self.serve())
        clients = [self.client().say(self.protocol.get(KEYS[0])) for _ in range(300)]
        self.process.terminate()
        for client in clients:
            self.assertEqual(client.heard().value, b"of " + KEYS[0])
        self.assertEqual(self.process.wait(20), 0)


class MemcachedClients(Clients, Faults):
    protocol = Memcached


class RedisClients(Clients, Faults):
    protocol = Redis


if __name__ == "__main__":
    unittest.main()
