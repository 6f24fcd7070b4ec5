#!/usr/bin/env python3
"""The router while its servers go away, its clients do wrong, and its maps change."""
import os
import random
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import ARCWISED, Connection, RouterTest  # noqa: E402
from servers import free_ports, wait_until  # noqa: E402


class Clients(RouterTest):
    def test_what_clients_do_wrong_harms_nobody_else(self):
        port, _ = self.one_pool(2)
        steady = Connection(port).say("set s 0 0 1\r\n1\r\n")
        self.addCleanup(steady.close)
        self.assertEqual(steady.line(), "STORED")
        for cut in (3, 15, 17, 19):  # it goes away in the middle of a request
            broken = Connection(port).say("get s\r\n" * 50 + "set x 0 0 5\r\nhello\r\n"[:cut])
            broken.close()
        slow = Connection(port)
        self.addCleanup(slow.close)
        for byte in b"set y 0 0 2\r\nhi\r\nget y\r\n":
            slow.say(bytes([byte]))
        self.assertEqual(slow.lines(4), ["STORED", "VALUE y 0 2", "hi", "END"])
        deaf = Connection(port).say("set v 0 0 100000 noreply\r\n" + "v" * 100000 + "\r\n")
        self.addCleanup(deaf.close)
        deaf.socket.settimeout(0.5)
        with self.assertRaises(socket.timeout):  # 300 GB of answers that it does not read
            deaf.say("get v\r\n" * 3_000_000)
        for _ in range(100):
            self.assertEqual(steady.say("get s\r\n").lines(3), ["VALUE s 0 1", "1", "END"])
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        self.assertLess(resident, 1_000_000, "kB, with one client's answers held back")

    def test_a_hundred_thousand_pipelined_requests_are_answered_in_order(self):
        port, _ = self.one_pool(3)
        client = Connection(port)
        self.addCleanup(client.close)
        count = 100_000
        pid = os.fork()
        if pid == 0:
            client.say("".join(f"set k{i % 1000} {i} 0 1 noreply\r\n1\r\nget k{i % 1000}\r\n" for i in range(count)))
            os._exit(0)
        for i in range(count):
            self.assertEqual(client.line(), f"VALUE k{i % 1000} {i} 1")
            client.lines(2)
        os.waitpid(pid, 0)


class Servers(RouterTest):
    def keys_of(self, port, count=60):
        """Keys, and which of them answer with an error now."""
        client = Connection(port)
        failing = set()
        for i in range(count):
            if (line := client.say(f"get {i * 7919}:user\r\n").line()) != "END":
                failing.add(i)
                self.assertRegex(line, r"^SERVER_ERROR s\d: ")
        client.close()
        return failing

    def test_a_server_that_is_gone_fails_its_own_keys_and_is_back_when_it_is(self):
        port, ports = self.one_pool(3)
        self.assertEqual(self.keys_of(port), set())
        self.started[0].kill()
        self.started[0].wait()
        gone = self.keys_of(port)
        self.assertTrue(0 < len(gone) < 40, gone)
        self.assertEqual(self.keys_of(port), gone, "no key moves")
        self.memcached(ports[0])
        wait_until(lambda: not self.keys_of(port), "the server is used again")

    def test_a_server_that_is_stopped_costs_its_own_clients_the_timeout(self):
        port, _ = self.one_pool(3)
        self.assertEqual(self.keys_of(port), set())
        self.started[0].send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            failing = self.keys_of(port)
            self.assertTrue(0 < len(failing) < 40)
            self.assertLess(time.monotonic() - began, 15)
        finally:
            self.started[0].send_signal(signal.SIGCONT)
        wait_until(lambda: not self.keys_of(port), "the server is used again")

    def test_no_read_is_older_than_the_last_acknowledged_write_while_servers_stop_and_go_on(self):
        port, _ = self.one_pool(2, timeout=30)
        rng = random.Random(1)
        clients = [Connection(port) for _ in range(4)]
        for client in clients:
            self.addCleanup(client.close)
        acknowledged, version, failures, reads = {}, 0, 0, 0
        for turn in range(40):
            victim = self.started[turn % 2]
            for step in range(60):
                if step == 20:
                    victim.send_signal(signal.SIGSTOP)
                if step == 40:
                    victim.send_signal(signal.SIGCONT)
                client, key = rng.choice(clients), f"{rng.randrange(8) * 7919}:user"
                if rng.random() < 0.5:
                    version += 1
                    text = str(version)
                    done = client.say(f"set {key} 0 0 {len(text)}\r\n{text}\r\n").line() == "STORED"
                    acknowledged[key] = version if done else acknowledged.get(key, 0)
                    failures += not done
                elif (line := client.say(f"get {key}\r\n").line()).startswith("VALUE"):
                    self.assertGreaterEqual(int(client.line()), acknowledged.get(key, 0), key)
                    self.assertEqual(client.line(), "END")
                    reads += 1
                else:
                    self.assertTrue(line == "END" and key not in acknowledged or line.startswith("SERVER_ERROR"), line)
        self.assertGreater(failures, 20)
        self.assertGreater(reads, 50)


class Maps(RouterTest):
    def map_text(self, epoch, ports, cluster="carts"):
        nodes = "".join(f"  - {{name: s{port}, address: '127.0.0.1:{port}'}}\n" for port in ports)
        return f"arcwise: 1\ncluster: {cluster}\nepoch: {epoch}\nplacement: {{recipe: ring, tokens: 16}}\nnodes:\n{nodes}"

    def replace(self, path, text):
        self.write("next.yaml", text)
        os.replace(os.path.join(self.processes.folder, "next.yaml"), path)

    def serve(self, path, port, *more):
        self.processes.start([ARCWISED, "--map", path, "--memcached", f"127.0.0.1:{port}", *more], port)
        self.process = self.processes.started[-1]
        self.log = os.path.join(self.processes.folder, f"{port}.log")

    def said(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def test_a_map_is_swapped_many_times_under_load_and_no_connection_notices(self):
        port, *ports = free_ports(5)
        for each in ports:
            self.memcached(each)
        path = self.write("map.yaml", self.map_text(1, ports))
        self.serve(path, port)
        client = Connection(port)
        self.addCleanup(client.close)
        for epoch in range(2, 42):
            left_out = epoch % 4
            self.replace(path, self.map_text(epoch, ports[:left_out] + ports[left_out + 1:]))
            self.process.send_signal(signal.SIGHUP)
            asked = []
            while f"epoch {epoch}," not in self.said() or len(asked) < 5:
                key = f"{epoch}:{len(asked)}"
                asked.append(key)
                client.say(f"set {key} 0 0 {len(key)}\r\n{key}\r\nget {key}\r\nget nope\r\n")
                self.assertEqual(client.line(), "STORED")
                if (line := client.line()) != "END":  # another node may be asked than the one that it was written to
                    self.assertEqual([line, *client.lines(2)], [f"VALUE {key} 0 {len(key)}", key, "END"])
                self.assertEqual(client.line(), "END")
        self.assertEqual(self.said().count(" of keys have another node"), 40)

    def test_what_may_not_follow_is_refused_and_the_old_map_stays(self):
        port, *ports = free_ports(3)
        for each in ports:
            self.memcached(each)
        state = os.path.join(self.processes.folder, "state")
        os.mkdir(state)
        path = self.write("map.yaml", self.map_text(7, ports))
        self.serve(path, port, "--state", state)
        client = Connection(port)
        self.addCleanup(client.close)
        client.say("".join(f"set k{i * 7919} 0 0 1\r\n1\r\n" for i in range(40)))
        self.assertEqual(set(client.lines(40)), {"STORED"})
        for text, expected in (("garbage", "the map that is served stays"), (self.map_text(6, ports), "none older may follow"),
                               (self.map_text(7, ports[:1]), "another map of the same epoch"),
                               (self.map_text(8, ports[:1], "sessions"), "another cluster")):
            self.replace(path, text)
            wait_until(lambda expected=expected: expected in self.said(), expected)
            client.say("".join(f"get k{i * 7919}\r\n" for i in range(40)))
            self.assertEqual(client.lines(120).count("END"), 40, "each key is where it was")
        self.process.terminate()
        self.process.wait(timeout=10)
        done = subprocess.run([ARCWISED, "--map", self.write("old.yaml", self.map_text(6, ports)), "--memcached", "127.0.0.1:0",
                               "--state", state], capture_output=True, text=True, check=False, timeout=20)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("none older may follow", done.stderr)


if __name__ == "__main__":
    unittest.main()
