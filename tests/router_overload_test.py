#!/usr/bin/env python3
"""The router before servers that get more than they can do."""
import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from protocols import Memcached, Redis  # noqa: E402
from router import RouterTest  # noqa: E402
from servers import free_ports, stop, wait_until  # noqa: E402


# Redis does nothing else for 300 ms.
BUSY = Redis.command(b"EVAL", b"""local function now() local t = redis.call('TIME') return t[1] * 1000 + t[2] / 1000 end
local begin = now() while now() < begin + 300 do end""", b"0")


class Overload(RouterTest):
    def serve(self, protocol, servers=1, threads=1, **settings):
        """The router with a configuration of its own before so many servers."""
        ports = free_ports(servers + 1)
        self.port, self.ports, self.protocol = ports[0], ports[1:], protocol
        self.started = [(self.redis if protocol.is_redis else self.memcached)(port) for port in self.ports]
        self.write("map.yaml", "arcwise: 1\ncluster: cache\nplacement: {recipe: ring, tokens: 64}\nnodes:\n" + "".join(
            f"  - {{name: s{i}, address: 127.0.0.1:{port}}}\n" for i, port in enumerate(self.ports)))
        lines = [f"arcwised: 1\nthreads: {threads}\npools:\n  cache:\n    listen: 127.0.0.1:{self.port}\n    map: map.yaml\n"
                 f"    protocol: {'redis' if protocol.is_redis else 'memcached'}\n"]
        lines += [f"    {key}: {value}\n" for key, value in {"timeout": "5s", **settings}.items()]
        self.process = self.router(self.write("router.yaml", "".join(lines)), self.port)
        return self.client()

    def client(self):
        return self.speaker(self.port, self.protocol)

    def statistics(self, which=""):
        client = self.speaker(self.port, Memcached)
        client.say(f"stats {which}\r\n")
        return dict(line.split(" ", 2)[1:] for line in iter(client.line, "END"))

    def test_beyond_the_limit_of_a_stopped_server_clients_are_told_at_once_and_the_others_wait_for_it(self):
        for protocol in (Memcached, Redis):
            client = self.serve(protocol, in_flight=4, queue_deadline="100ms")
            self.assertTrue(client.set(b"a", b"1").done)
            stop(self.started[0])
            clients = [self.client() for _ in range(12)]
            began = time.monotonic()
            for other in clients:
                other.say(protocol.get(b"a"))
            answers = [other.heard() for other in clients[4:]]
            self.assertLess(time.monotonic() - began, 3, "its timeout is 5 s")
            self.assertEqual({answer.why for answer in answers},
                             {("TRYAGAIN " if protocol.is_redis else "") + "busy: s0: no turn within 100 ms"})
            os.kill(self.started[0].pid, signal.SIGCONT)
            self.assertEqual([other.heard().value for other in clients[:4]], [b"1"] * 4)
            self.assertEqual(client.get(b"a").value, b"1")

    def test_nothing_is_lost_or_mixed_up_while_thousands_wait_for_their_turn(self):
        for protocol in (Memcached, Redis):
            self.serve(protocol, servers=3, threads=2, in_flight=2, queue_deadline="20s", coalesce="true")
            clients = [self.client() for _ in range(8)]
            for number, client in enumerate(clients):
                client.say(b"".join(protocol.set(b"%d-%d" % (number, i), b"%d" % i) + protocol.get(b"%d-%d" % (number, i))
                                    for i in range(500)))
            for client in clients:
                for i in range(500):
                    self.assertTrue(client.heard().done)
                    self.assertEqual(client.heard().value, b"%d" % i)

    def lose_a_read(self, **settings):
        """What becomes of a read whose connection Redis ends before it has seen it."""
        client = self.serve(Redis, **settings)
        self.assertTrue(client.set(b"a", b"1").done)
        sleeper, killer = self.speaker(self.ports[0], Redis), self.speaker(self.ports[0], Redis)
        sleeper.say(BUSY)
        time.sleep(0.05)
        killer.say("CLIENT KILL TYPE normal\r\n")
        time.sleep(0.05)
        return client.get(b"a")

    def test_a_read_whose_connection_is_lost_is_asked_again(self):
        self.assertRegex(self.lose_a_read().why or "", "it closed the connection")
        self.assertEqual(self.lose_a_read(retry_budget="10%").value, b"1")

    def test_a_hot_key_is_asked_of_its_server_once_for_all_who_ask_meanwhile(self):
        client = self.serve(Redis, coalesce="true")
        self.assertTrue(client.set(b"a", b"1").done)
        direct = self.speaker(self.ports[0], Redis)
        direct.ask("CONFIG RESETSTAT\r\n")
        self.speaker(self.ports[0], Redis).say(BUSY)
        time.sleep(0.05)
        clients = [self.client() for _ in range(50)]
        for other in clients:
            other.say(Redis.get(b"a"))
        self.assertEqual([other.heard().value for other in clients], [b"1"] * 50)
        calls = direct.ask("INFO commandstats\r\n").value.decode().split("cmdstat_get:calls=")[1]
        self.assertEqual(calls.split(",")[0], "1")

    def test_keys_of_a_server_with_its_part_in_flight_spill_over_and_what_is_written_there_does_not_stay(self):
        client = self.serve(Memcached, servers=3, bound="125%", longest_ttl="1s")
        key = next(b"key%d" % i for i in range(100) if self.owner(client, b"key%d" % i) == 0)
        stop(self.started[0])
        before = int(self.statistics()["backend_requests"])
        waiting = [self.client() for _ in range(8)]
        for other in waiting:
            other.say(Memcached.get(key))
        # Some wait for the server that is stopped, and the others have their answer from another.
        wait_until(lambda: int(self.statistics()["backend_requests"]) == before + 8 and
                   [self.statistics("servers")[f"s{i}:waiting"] for i in (1, 2)] == ["0", "0"], "keys that spill over")
        spilled = self.client()
        self.assertTrue(spilled.set(key, b"new").done)
        self.assertEqual(spilled.get(key).value, b"new")
        self.assertGreater(int(self.statistics()["spilled"]), 0)
        os.kill(self.started[0].pid, signal.SIGCONT)
        for other in waiting:
            other.heard()
        # What its owner had was dropped, and the other's copy ends.
        self.assertIsNone(self.speaker(self.ports[0], Memcached).get(key).value)
        wait_until(lambda: all(self.speaker(port, Memcached).get(key).value is None for port in self.ports),
                   "the end of the copy")

    def owner(self, client, key):
        self.assertTrue(client.set(key, b"old").done)
        return next(i for i, port in enumerate(self.ports) if self.speaker(port, Memcached).get(key).value)


if __name__ == "__main__":
    unittest.main()
