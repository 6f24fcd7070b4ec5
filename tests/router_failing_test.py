#!/usr/bin/env python3
"""What becomes of a server's keys while it is away and when it is back, before real servers; and twemproxy's ejection beside nutcracker's."""
import json
import os
import signal
import sys
import unittest
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import ARCWISED, Connection, RouterTest, pool, redis_command  # noqa: E402
from servers import free_ports, program, wait_until  # noqa: E402


class Failing(RouterTest):
    def serve(self, servers, settings, redis=False, spare=0):
        """The router, with two threads, before so many servers; s0 is the one that will be away."""
        self.is_redis = redis
        port, *self.ports = free_ports(servers + spare + 1)
        self.servers = [(self.redis if redis else self.memcached)(each) for each in self.ports]
        nodes = "".join(f"        - {{name: s{i}, address: '127.0.0.1:{p}'}}\n" for i, p in enumerate(self.ports[:servers]))
        if spare:
            settings += "    gutter: [" + ", ".join(f"'127.0.0.1:{p}'" for p in self.ports[servers:]) + "]\n"
        config = self.write("arcwised.yaml", f"arcwised: 1\nthreads: 2\npools:\n  cache:\n    listen: 127.0.0.1:{port}\n"
                            f"    protocol: {'redis' if redis else 'memcached'}\n    timeout: 100ms\n    probe_every: 100ms\n"
                            f"{settings}    map:\n      arcwise: 1\n      placement: {{recipe: ring, tokens: 16}}\n      nodes:\n{nodes}")
        self.processes.start([ARCWISED, "--config", config], port)
        self.log = os.path.join(self.processes.folder, f"{port}.log")
        # The kernel spreads connections over the threads.
        self.clients = [Connection(port) for _ in range(6)]
        self.direct = [Connection(each) for each in self.ports]
        for connection in self.clients + self.direct:
            self.addCleanup(connection.close)

    def said(self, name):
        with open(self.log, encoding="utf-8") as log:
            return sum(f"event={name} " in line for line in log)

    def set(self, connection, key, value):
        if self.is_redis:
            return connection.say(redis_command("SET", key, value)).line()
        return connection.say(f"set {key} 0 0 {len(value)}\r\n{value}\r\n").line()

    def get(self, connection, key):
        line = connection.say(redis_command("GET", key) if self.is_redis else f"get {key}\r\n").line()
        if line in ("END", "$-1"):
            return None
        if not line.startswith("VALUE" if not self.is_redis else "$"):
            return line
        value = connection.line()
        if not self.is_redis:
            self.assertEqual(connection.line(), "END")
        return value

    def time_left(self, connection, key):
        """Seconds; None: the key is not there."""
        if self.is_redis:
            left = int(connection.say(redis_command("PTTL", key)).line()[1:])
            return None if left == -2 else left / 1000
        line = connection.say(f"mg {key} t\r\n").line()
        return int(line.split()[1][1:]) if line.startswith("HD") else None

    def keys_of_the_first(self, count):
        keys = [f"key{i * 7919}" for i in range(30 * count)]
        for key in keys:
            self.assertIn(self.set(self.clients[0], key, "old"), ("STORED", "+OK"))
        return [key for key in keys if self.get(self.direct[0], key) == "old"][:count]

    def stop(self):
        self.servers[0].send_signal(signal.SIGSTOP)
        self.addCleanup(self.servers[0].send_signal, signal.SIGCONT)

    def absence(self, keys):
        """s0 is stopped, is noticed, and half of its keys are written by one client and read by all. Then it goes on."""
        self.stop()
        wait_until(lambda: self.said("server_away") > 0, "it is noticed")
        for key in keys[::2]:
            self.assertIn(self.set(self.clients[0], key, "new"), ("STORED", "+OK"))
        for client in self.clients:
            self.assertEqual({self.get(client, key) for key in keys[::2]}, {"new"})
            self.assertEqual({self.get(client, key) for key in keys[1::2]}, {None}, "nobody else has them")

    def back(self):
        self.servers[0].send_signal(signal.SIGCONT)
        wait_until(lambda: self.said("server_back") > 0, "it is back")

    def test_next_and_fence(self):
        for redis in (False, True):
            with self.subTest(redis=redis):
                self.serve(3, "    on_failure: next\n    longest_ttl: 7s\n", redis)
                keys = self.keys_of_the_first(10)
                self.absence(keys)
                for key in keys[::2]:
                    left = [t for t in (self.time_left(each, key) for each in self.direct[1:]) if t is not None]
                    self.assertEqual(len(left), 1, "one other server has it")
                    self.assertTrue(0 < left[0] <= 7, left)
                self.back()
                for client in self.clients:
                    self.assertEqual({self.get(client, key) for key in keys[::2]}, {None}, "not what it had before")
                    self.assertEqual({self.get(client, key) for key in keys[1::2]}, {"old"}, "what was not written is kept")

    def test_every_write_to_redis_elsewhere_gets_a_time_to_live_and_its_own_answer(self):
        self.serve(2, "    on_failure: next\n", redis=True)
        keys = self.keys_of_the_first(6)
        self.stop()
        wait_until(lambda: self.said("server_away") > 0, "it is noticed")
        client = self.clients[0]
        for words, answer in ((("RPUSH", keys[0], "a", "b"), ":2"), (("INCR", keys[1]), ":1"), (("HSET", keys[2], "f", "v"), ":1"),
                              (("SET", keys[3], "v", "EX", "1000"), "+OK"), (("SET", keys[4], "v", "NX"), "+OK"),
                              (("SET", keys[4], "v", "NX"), "$-1"), (("MSET", keys[5], "a"), "+OK")):
            self.assertEqual(client.say(redis_command(*words)).line(), answer, words)
        self.assertRegex(client.say(redis_command("INCR", keys[2])).line(), "^-WRONGTYPE")
        self.assertEqual(client.say(redis_command("LRANGE", keys[0], "0", "-1")).lines(5), ["*2", "$1", "a", "$1", "b"])
        for key in keys:
            self.assertTrue(0 < self.time_left(self.direct[1], key) <= 10, key)
        self.assertEqual(client.say(redis_command("DEL", keys[0])).line(), ":1")
        self.assertRegex(client.say(redis_command("MULTI")).line() + client.say(redis_command("SET", keys[0], "v")).line()
                         + client.say(redis_command("EXEC")).line(), r"^\+OK\+QUEUED-ERR s0: ")

    def test_flush(self):
        self.serve(3, "    on_failure: next\n    on_return: flush\n")
        keys = self.keys_of_the_first(10)
        self.absence(keys)
        self.back()
        for client in self.clients:
            self.assertEqual({self.get(client, key) for key in keys}, {None})

    def test_keep_brings_old_values_back(self):
        self.serve(3, "    on_failure: next\n    on_return: keep\n")
        keys = self.keys_of_the_first(10)
        self.absence(keys)
        self.back()
        self.assertEqual({self.get(self.clients[0], key) for key in keys}, {"old"})

    def test_spare_servers(self):
        self.serve(2, "    on_failure: gutter\n", spare=2)
        keys = self.keys_of_the_first(20)
        self.absence(keys)
        found = [sum(self.get(spare, key) == "new" for key in keys) for spare in self.direct[1:]]
        self.assertEqual((found[0], sum(found[1:])), (0, 10), found)
        self.assertGreater(min(found[1:]), 0, found)
        self.back()
        self.assertEqual({self.get(self.clients[1], key) for key in keys[::2]}, {None})

    def test_a_delete_that_was_refused_is_done_before_the_server_is_used_again(self):
        self.serve(2, "")
        keys = self.keys_of_the_first(4)
        self.stop()
        wait_until(lambda: self.said("server_stalled") > 0, "it is noticed")
        self.assertRegex(self.clients[0].say(f"delete {keys[0]}\r\n").line(), "^SERVER_ERROR s0: ")
        self.servers[0].send_signal(signal.SIGCONT)
        wait_until(lambda: not str(self.get(self.clients[0], keys[1])).startswith("SERVER_ERROR"), "it is back")
        self.assertEqual([self.get(client, keys[0]) for client in self.clients], [None] * 6)
        self.assertEqual([self.get(client, keys[1]) for client in self.clients], ["old"] * 6)


class Waiting(RouterTest):
    def test_a_stopped_server_of_a_pool_without_timeout_is_told_of_and_its_requests_wait(self):
        ports = free_ports(3)
        server = self.memcached(ports[0])
        config = self.write("arcwised.yaml", f"arcwised: 1\nadmin: 127.0.0.1:{ports[2]}\npools:\n  cache:\n    listen: 127.0.0.1:{ports[1]}\n"
                            "    protocol: memcached\n    map:\n      arcwise: 1\n      placement: {recipe: ring, tokens: 16}\n"
                            f"      nodes: [{{name: s0, address: '127.0.0.1:{ports[0]}'}}]\n")
        self.processes.start([ARCWISED, "--config", config], ports[1])

        def node():
            with urllib.request.urlopen(f"http://127.0.0.1:{ports[2]}/api/v1/backends", timeout=10) as answer:
                return json.load(answer)["pools"][0]["nodes"][0]
        client = Connection(ports[1])
        self.addCleanup(client.close)
        self.assertEqual(client.say("set a 0 0 1\r\nx\r\n").line(), "STORED")
        for asked in (False, True):  # by the router's own question, and by a client's request
            wait_until(lambda: node()["state"] == "up" and not node()["away"], "it answers")
            server.send_signal(signal.SIGSTOP)
            self.addCleanup(server.send_signal, signal.SIGCONT)
            if asked:
                client.say("get a\r\n")
            wait_until(lambda: node()["state"] == "silent" and node()["away"], "it is told of")
            self.assertRegex(node()["words"], "^no reply for ")
            server.send_signal(signal.SIGCONT)
        self.assertEqual(client.lines(3), ["VALUE a 0 1", "x", "END"])


class Ejection(RouterTest):
    def test_keys_of_an_ejected_server_go_where_nutcracker_has_them(self):
        """Weights, so that the ring of those left has other points, and modula, which moves nearly all."""
        ports = free_ports(17)
        servers, ours, theirs, stats = ports[:8], ports[8:12], ports[12:16], ports[16]
        started = [self.memcached(port) for port in servers[:4]] + [self.redis(port) for port in servers[4:]]
        text = ["", ""]
        cases = [(d, r) for d in ("ketama", "modula") for r in (False, True)]
        for i, (distribution, redis) in enumerate(cases):
            listed = [(port, n % 3 + 1, f"s{n}") for n, port in enumerate(servers[4:] if redis else servers[:4])]
            settings = {"hash": "fnv1a_64", "distribution": distribution, "timeout": 400, "auto_eject_hosts": "true",
                        "server_failure_limit": 2, "server_retry_timeout": 600_000}
            if redis:
                settings["redis"] = "true"
            for side, port in enumerate((ours[i], theirs[i])):
                text[side] += pool(f"p{i}", port, listed, **settings)
        self.processes.start([ARCWISED, "--config", self.write("ours.yml", text[0]), "--set", "auto_eject=true"], ours[-1])
        self.processes.start([program("nutcracker"), "-c", self.write("theirs.yml", text[1]), "-s", str(stats)], theirs[-1])
        log = os.path.join(self.processes.folder, f"{ours[-1]}.log")
        for victim in (started[1], started[5]):
            victim.kill()
            victim.wait()

        def count(name):
            with open(log, encoding="utf-8") as file:
                return file.read().count(f"event={name} ")
        wait_until(lambda: count("server_ejected") == 4, "each pool has ejected it")
        self.assertEqual(count("auto_eject"), 4, "the warning at start")
        for i, (distribution, redis) in enumerate(cases):
            connections = [Connection(ours[i]), Connection(theirs[i])]
            for connection in connections:
                self.addCleanup(connection.close)
            keys = [f"key{n * 7919}" for n in range(400)]
            errors = sum(self.store(connections[1], redis, key) for key in keys)
            self.assertTrue(0 < errors < 10, "clients of nutcracker's pay for its ejection")
            self.assertEqual(sum(self.store(connections[1], redis, key) for key in keys), 0)
            found = sum(self.holds(connections[0], redis, key) for key in keys)
            self.assertEqual(found, len(keys), (distribution, redis))

    def store(self, connection, redis, key):
        """How many errors it took."""
        words = redis_command("SET", key, key) if redis else f"set {key} 0 0 {len(key)}\r\n{key}\r\n"
        for errors in range(10):
            if connection.say(words).line() in ("STORED", "+OK"):
                return errors
        raise AssertionError(f"{key}: nutcracker has errors only")

    def holds(self, connection, redis, key):
        line = connection.say(redis_command("GET", key) if redis else f"get {key}\r\n").line()
        if line in ("$-1", "END"):
            return False
        value = connection.line()
        if not redis:
            connection.line()
        return value == key


if __name__ == "__main__":
    unittest.main()
