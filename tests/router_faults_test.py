#!/usr/bin/env python3
"""The router while its servers are killed, stopped, slow, or talk nonsense, and while clients do what they should not."""
import contextlib
import os
import signal
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from protocols import Memcached, Redis  # noqa: E402
from router import RouterTest  # noqa: E402
from scripted import Scripted  # noqa: E402
from servers import free_ports, stop, wait_until  # noqa: E402

KEYS = [b"%d:user" % (i * 7919) for i in range(60)]


class Faults(RouterTest):
    """Of one protocol: see the classes at the end."""
    protocol = None

    def serve(self, servers=3, **settings):
        self.port, self.ports = self.one_pool(servers, redis=self.protocol.is_redis, **settings)
        return self.client()

    def begin(self, place):
        return (self.redis if self.protocol.is_redis else self.memcached)(place)

    def pool_text(self, servers):
        return (f"cache:\n  listen: 127.0.0.1:{self.port}\n  hash: fnv1a_64\n  distribution: ketama\n  timeout: 2000\n" +
                "  redis: true\n" * self.protocol.is_redis + "  servers:\n" + "".join(f"   - {line}\n" for line in servers))

    def client(self):
        return self.speaker(self.port, self.protocol)

    def fill(self, client, keys=KEYS):
        client.say(b"".join(self.protocol.set(key, b"of " + key) for key in keys))
        for key in keys:
            self.assertTrue(client.heard().done, key)

    def failing(self, client):
        """The keys whose server does not answer, as the router says; the others have their own values, or none."""
        client.say(b"".join(self.protocol.get(key) for key in KEYS))
        failing = set()
        for key in KEYS:
            answer = client.heard()
            if answer.done:
                self.assertIn(answer.value, (None, b"of " + key))
            else:
                self.assertRegex(answer.why, r"^(ERR )?s\d: ")
                failing.add(key)
        return failing

    def keys_of(self, server):
        """Those that the server has itself, of a pool that was filled."""
        client = self.speaker(self.ports[server], self.protocol)
        return [key for key in KEYS if client.get(key).value]

    def processor_time(self):
        """Seconds that the router has computed."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as stat:
            return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    @contextlib.contextmanager
    def stopped(self, server):
        stop(self.started[server])
        try:
            yield
        finally:
            self.started[server].send_signal(signal.SIGCONT)


class Servers:
    def test_one_that_is_killed_fails_its_own_keys_and_is_back_when_it_is(self):
        client = self.serve()
        self.fill(client)
        own = set(self.keys_of(0))
        self.started[0].kill()
        self.started[0].wait()
        for _ in range(3):
            self.assertEqual(self.failing(client), own, "no key moves")
        self.begin(self.ports[0])
        wait_until(lambda: not self.failing(client), "the server is used again")

    def test_one_at_a_unix_socket_that_is_killed_is_back_when_it_is(self):
        self.port, path = free_ports(1)[0], os.path.join(self.processes.folder, "s0.sock")
        self.begin(path)
        self.process = self.router(self.write("pool.yml", self.pool_text([f"{path}:1 s0"])), self.port)
        client = self.client()
        self.fill(client)
        before = self.descriptors()
        for _ in range(3):
            server = self.processes.started.pop(0)
            server.kill()
            server.wait()
            self.assertEqual(self.failing(client), set(KEYS))
            os.unlink(path)
            self.assertEqual(self.failing(client), set(KEYS))
            self.begin(path)
            self.processes.started.insert(0, self.processes.started.pop())
            wait_until(lambda: not self.failing(client), "the server is used again")
        self.assertEqual(self.descriptors(), before)

    def test_one_that_is_stopped_fails_its_own_keys_and_delays_no_others(self):
        client = self.serve(timeout=3000)
        self.fill(client)
        own = set(self.keys_of(0))
        others = [key for key in KEYS if key not in own]
        waiting, steady = self.client(), self.client()
        with self.stopped(0):
            began = time.monotonic()
            waiting.say(self.protocol.get(min(own)))
            longest = 0
            while time.monotonic() < began + 2:
                for key in others:
                    asked = time.monotonic()
                    self.assertEqual(steady.get(key).value, b"of " + key)
                    longest = max(longest, time.monotonic() - asked)
            self.assertLess(longest, 1, "one that is stopped is waited for three times as long")
            self.assertRegex(waiting.heard().why, "no reply for 3000 ms")
            self.assertGreater(time.monotonic() - began, 2.9)
            self.assertEqual(self.failing(client), own)
        wait_until(lambda: not self.failing(client), "the server is used again")

    def test_one_that_is_slow_is_answered_for_in_order(self):
        client = self.serve(timeout=20000)
        self.fill(client)
        ends = threading.Event()

        def hold_back():
            while not ends.wait(0.005):
                with self.stopped(0):
                    ends.wait(0.045)
        holding = threading.Thread(target=hold_back)
        holding.start()
        try:
            for _ in range(20):
                self.assertEqual(self.failing(client), set())
        finally:
            ends.set()
            holding.join()

    def test_answers_that_come_too_late_are_nobody_elses(self):
        client = self.serve(servers=1, timeout=50)
        self.fill(client)
        for _ in range(5):
            with self.stopped(0):
                client.say(b"".join(self.protocol.get(key) for key in KEYS[:30]))
                self.assertEqual({client.heard().done for _ in range(30)}, {False})
            wait_until(lambda: client.get(b"none").done, "the server is used again")
            client.say(b"".join(self.protocol.get(key) for key in KEYS))
            for key in KEYS:
                self.assertEqual(client.heard().value, b"of " + key)

    def scripted(self, script):
        self.port, server = free_ports(2)
        scripted = Scripted(server, script)
        self.addCleanup(scripted.close)
        self.process = self.router(self.write("pool.yml", self.pool_text([f"127.0.0.1:{server}:1 s0"])), self.port)
        return self.client()

    def reply(self, key):
        value = b"of " + key
        return b"$%d\r\n%s\r\n" % (len(value), value) if self.protocol.is_redis else b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (
            key, len(value), value)

    def test_half_an_answer_and_an_end_is_an_error_wherever_it_is_cut(self):
        cut = 0
        client = self.scripted(lambda key: [self.reply(key)[:cut], None] if key == b"cut" else [self.reply(key)])
        for cut in range(len(self.reply(b"cut"))):
            wait_until(lambda: client.get(b"a").value == b"of a", "it is connected")
            client.say(b"".join(self.protocol.get(key) for key in (b"a", b"cut", b"b")))
            self.assertEqual(client.heard().value, b"of a")
            self.assertRegex(client.heard().why, "s0: it closed the connection")
            self.assertIn(client.heard().value, (None, b"of b"))

    def test_an_answer_that_comes_byte_by_byte_is_one(self):
        client = self.scripted(lambda key: [bytes([byte]) for byte in self.reply(key)])
        client.say(b"".join(self.protocol.get(key) for key in KEYS))
        for key in KEYS:
            self.assertEqual(client.heard().value, b"of " + key)

    def test_nonsense_and_answers_that_nobody_asked_for_reach_no_client(self):
        odd = [b"\x00\xff\r\n", b"VALUE\r\n", b"VALUE odd 0 99999999999999999999\r\n", b"$99999999999999999999\r\n", b"*-7\r\n", b"\r\n",
               self.reply(b"odd") * 2 + self.reply(b"a")]
        client = self.scripted(lambda key: [odd[at]] if key == b"odd" else [self.reply(key)])
        for at in range(len(odd)):
            wait_until(lambda: client.get(b"a").value == b"of a", "it is connected")
            answer = client.get(b"odd")
            self.assertTrue(answer.value == b"of odd" or "broke the protocol" in answer.why, answer)
            for key in KEYS[:5]:
                self.assertIn(client.get(key).value, (None, b"of " + key))


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
            self.assertLess(self.resident() - before, 1200, "MB, of 1000 that one client does not read")

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


class MemcachedServers(Servers, Faults):
    protocol = Memcached


class RedisServers(Servers, Faults):
    protocol = Redis


class MemcachedClients(Clients, Faults):
    protocol = Memcached


class RedisClients(Clients, Faults):
    protocol = Redis


if __name__ == "__main__":
    unittest.main()
