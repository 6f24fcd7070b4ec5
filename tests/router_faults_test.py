#!/usr/bin/env python3
"""The router while its servers are killed, stopped, slow, or talk nonsense."""
import os
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from faults import KEYS, Faults  # noqa: E402
from protocols import Memcached, Redis  # noqa: E402
from scripted import Scripted  # noqa: E402
from servers import free_ports, wait_until  # noqa: E402


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
            waiting.say(self.protocol.get(others[0]) + self.protocol.get(min(own)))
            self.assertEqual(waiting.heard().value, b"of " + others[0], "it is told what there is, though it waits for more")
            self.assertLess(time.monotonic() - began, 1)
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

    def test_those_that_are_away_when_the_router_starts_fail_their_own_keys_until_they_answer(self):
        self.fill(self.serve())
        gone, stopped = set(self.keys_of(0)), set(self.keys_of(1))
        self.process.terminate()
        self.process.wait()
        self.started[0].kill()
        self.started[0].wait()
        with self.stopped(1):
            self.process = self.router(os.path.join(self.processes.folder, "pool.yml"), self.port)
            client = self.client()
            self.assertEqual(self.failing(client), gone | stopped)
        self.begin(self.ports[0])
        wait_until(lambda: not self.failing(client), "both are used")

    def test_a_request_for_keys_of_many_says_what_failed(self):
        client = self.serve()
        self.fill(client)
        own = set(self.keys_of(0))
        self.started[0].kill()
        self.started[0].wait()
        if self.protocol.is_redis:
            for words in ([b"MGET", *KEYS], [b"DEL", *KEYS], [b"MSET", *(word for key in KEYS for word in (key, b"of " + key))]):
                self.assertRegex(client.ask(self.protocol.command(*words)).why, r"^ERR s0: ")
        else:
            client.say(b"get " + b" ".join(KEYS) + b"\r\n")
            found = set()
            while (line := client.line()).startswith("VALUE"):
                found.add(line.split()[1].encode())
                client.line()
            self.assertEqual(found, set(KEYS) - own)
            self.assertRegex(line, r"^SERVER_ERROR s0: ")
        self.assertEqual(self.failing(client), own, "what follows is answered")

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

    def scripted(self, script, **settings):
        self.port, server = free_ports(2)
        scripted = Scripted(server, script)
        self.addCleanup(scripted.close)
        self.process = self.router(self.write("pool.yml", self.pool_text([f"127.0.0.1:{server}:1 s0"], **settings)), self.port)
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

    def test_a_request_is_answered_at_its_own_age_while_its_server_goes_on_with_others(self):
        """Twenty reads that take 100 ms each, sent together: those that the server comes to in time have its answers, all others an
        error, and when it has answered what it owed it is asked again."""
        def slow(key):
            if key != b"quick":
                time.sleep(0.1)
            return [self.reply(key)]
        client = self.scripted(slow, timeout=400)
        wait_until(lambda: client.get(b"quick").value == b"of quick", "it is connected")
        began = time.monotonic()
        client.say(b"".join(self.protocol.get(key) for key in KEYS[:20]))
        answers = [client.heard() for _ in KEYS[:20]]
        self.assertLess(time.monotonic() - began, 1.5, "the last would have its answer after 2 s")
        done = sum(answer.done for answer in answers)
        self.assertTrue(1 <= done <= 4, answers)
        self.assertEqual([answer.value for answer in answers[:done]], [b"of " + key for key in KEYS[:done]])
        self.assertRegex(answers[-1].why, "s0: replies take longer than 400 ms")
        wait_until(lambda: client.get(b"quick").value == b"of quick", "it has answered all it owed")

    def test_nonsense_and_answers_that_nobody_asked_for_reach_no_client(self):
        odd = [b"\x00\xff\r\n", b"VALUE\r\n", b"VALUE odd 0 99999999999999999999\r\n", b"$99999999999999999999\r\n", b"*-7\r\n", b"\r\n",
               b"hello\r\n", b"VALUE odd 0 5\r\nhelloXYEND\r\n", b"$5\r\nhelloXY", b"VALUE other 0 1\r\nx\r\nEND\r\n", b"STORED\r\n",
               self.reply(b"odd") * 2 + self.reply(b"a")]
        if self.protocol.is_redis:
            odd.remove(b"STORED\r\n")
        client = self.scripted(lambda key: [odd[at]] if key == b"odd" else [self.reply(key)])
        for at in range(len(odd)):
            wait_until(lambda: client.get(b"a").value == b"of a", "it is connected")
            answer = client.get(b"odd")
            self.assertTrue(answer.value == b"of odd" or "broke the protocol" in answer.why, answer)
            for key in KEYS[:5]:
                self.assertIn(client.get(key).value, (None, b"of " + key))


class MemcachedServers(Servers, Faults):
    protocol = Memcached


class RedisServers(Servers, Faults):
    protocol = Redis


if __name__ == "__main__":
    unittest.main()
