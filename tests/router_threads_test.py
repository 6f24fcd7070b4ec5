#!/usr/bin/env python3
"""Threads of the router under ThreadSanitizer: traffic on all of them, maps swapped, a server killed, until the end."""
# Plain build only: the router that it starts is sanitized already.
import os
import signal
import subprocess
import sys
import threading
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import Connection, RouterTest, redis_command  # noqa: E402
from servers import free_ports, wait_until  # noqa: E402


class Threads(RouterTest):
    def config(self, epoch, left_out=None):
        def nodes(ports):
            return "".join(f"      - {{name: s{i}, address: '127.0.0.1:{p}'}}\n" for i, p in enumerate(ports) if i != left_out)

        def one(name, protocol, listen, ports):
            return (f"  {name}:\n    listen: 127.0.0.1:{listen}\n    protocol: {protocol}\n    timeout: {300 + epoch % 7}ms\n"
                    "    on_failure: next\n    ramp: 100ms\n    coalesce: true\n    in_flight: 100\n    queue_deadline: 50ms\n"
                    "    retry_budget: 10%\n    bound: 200%\n    map:\n"
                    f"      arcwise: 1\n      cluster: {name}\n      epoch: {epoch}\n      placement: {{recipe: ring}}\n      nodes:\n"
                    f"{nodes(ports)}")
        return (f"arcwised: 1\nthreads: 3\nadmin: 127.0.0.1:{self.ports[8]}\npools:\n" +
                one("cache", "memcached", self.ports[0], self.ports[2:5]) + one("store", "redis", self.ports[1], self.ports[5:8]))

    def traffic(self, redis, stop, failures):
        client = Connection(self.ports[1 if redis else 0])
        turn = 0
        while not stop.is_set():
            keys = [f"k{turn}:{i}" for i in range(20)]
            turn += 1
            if redis:
                client.say("".join(redis_command("SET", k, k) + redis_command("GET", k) for k in keys))
            else:
                client.say("".join(f"set {k} 0 0 {len(k)}\r\n{k}\r\nget {k}\r\n" for k in keys))
            for key in keys:
                stored = client.line()
                line = client.line()
                if line.startswith("VALUE") or line.startswith("$") and line != "$-1":
                    if client.line() != key:
                        failures.append(f"another's answer for {key}")
                    if not redis:
                        client.line()
                elif not stored:
                    failures.append("the connection was closed")
                    return
        client.close()

    def look(self, stop, failures):
        """What others see from their own threads."""
        while not stop.is_set():
            for path in ("/metrics", "/api/v1/backends", "/api/v1/events", "/api/v1/fingerprint?pool=cache", "/readyz"):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[8]}{path}", timeout=20) as answer:
                        answer.read()
                except urllib.error.HTTPError as error:
                    if path != "/readyz":
                        failures.append(f"{path}: {error}")

    def test_no_data_race_while_maps_are_swapped_under_load_and_servers_go(self):
        tsan = os.environ.get("ARCWISED_TSAN")
        self.assertTrue(tsan and os.path.exists(tsan), "ARCWISED_TSAN names no program")
        self.ports = free_ports(9)
        servers = [self.memcached(port) for port in self.ports[2:5]] + [self.redis(port) for port in self.ports[5:8]]
        path = self.write("arcwised.yaml", self.config(1))
        log = os.path.join(self.processes.folder, "tsan.log")
        with open(log, "wb") as out:
            process = subprocess.Popen([tsan, "--config", path], stdout=out, stderr=out,
                                       env={**os.environ, "TSAN_OPTIONS": "exitcode=66 halt_on_error=0"})
        self.processes.started.append(process)

        def said():
            with open(log, encoding="utf-8") as text:
                return text.read()

        wait_until(lambda: said().count(" listens on ") == 3, "it listens")
        stop, failures = threading.Event(), []
        clients = [threading.Thread(target=self.traffic, args=(i % 2 == 0, stop, failures)) for i in range(12)]
        clients.append(threading.Thread(target=self.look, args=(stop, failures)))
        for client in clients:
            client.start()
        for epoch in range(2, 22):
            self.write("next.yaml", self.config(epoch, epoch % 4))
            os.replace(os.path.join(self.processes.folder, "next.yaml"), path)
            process.send_signal(signal.SIGHUP)
            wait_until(lambda epoch=epoch: said().count(f"-> epoch {epoch},") == 2, "the new maps are taken up")
            if epoch in (8, 14):
                servers[0 if epoch == 8 else 3].kill()
        stop.set()
        for client in clients:
            client.join(timeout=30)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 0, said()[-6000:])
        self.assertNotIn("ThreadSanitizer", said())
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
