#!/usr/bin/env python3
"""The router and what it stands in: files that are pipes, names that nobody answers, a folder that goes, another router beside it."""
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from islands import private_network  # noqa: E402
from router import ARCWISED, RouterTest  # noqa: E402
from servers import free_ports, listens, program, wait_until  # noqa: E402


class Resolver:
    """Answers that each name is this host, or says nothing."""

    def __init__(self):
        self.silent = False
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            question, who = self.socket.recvfrom(2000)
            if self.silent:
                continue
            end = 12
            while question[end]:
                end += question[end] + 1
            is_a = struct.unpack(">H", question[end + 1:end + 3])[0] == 1
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4\x7f\0\0\1" if is_a else b""
            self.socket.sendto(question[:2] + b"\x81\x80\0\1" + struct.pack(">H", is_a) + b"\0\0\0\0" + question[12:end + 5] + answer, who)


class Surroundings(RouterTest):
    def map_text(self, epoch, addresses):
        nodes = "".join(f"  - {{name: s{i}, address: '{address}'}}\n" for i, address in enumerate(addresses))
        return f"arcwise: 1\ncluster: carts\nepoch: {epoch}\nplacement: {{recipe: ring, tokens: 16}}\nnodes:\n{nodes}"

    def put(self, name, text):
        self.write("next", text)
        os.replace(self.path("next"), self.path(name))

    def path(self, name):
        return os.path.join(self.processes.folder, name)

    def start(self, name, listen, *more):
        """A router with the map NAME.yaml; its process. Its log is NAME.log."""
        with open(self.path(name + ".log"), "wb") as log:
            process = subprocess.Popen([ARCWISED, "--map", self.path(name + ".yaml"), "--memcached",
                                        listen if isinstance(listen, str) else f"127.0.0.1:{listen}", *more],
                                       stdout=log, stderr=log)
        self.processes.started.append(process)
        wait_until(lambda: process.poll() is not None or "event=started" in self.said(name), "it has started")
        self.assertIsNone(process.poll(), self.said(name))
        return process

    def said(self, name="a"):
        with open(self.path(name + ".log"), encoding="utf-8") as log:
            return log.read()

    def says(self, text, name="a", seconds=30):
        wait_until(lambda: text in self.said(name), text, seconds)

    def ended(self, process, seconds=10):
        process.terminate()
        return process.wait(timeout=seconds)


class Files(Surroundings):
    def test_a_map_that_has_become_a_pipe_is_refused_and_what_follows_it_is_served(self):
        server, port = free_ports(2)
        self.put("a.yaml", self.map_text(1, [f"127.0.0.1:{server}"]))
        process = self.start("a", port)
        os.mkfifo(self.path("pipe"))
        os.replace(self.path("pipe"), self.path("a.yaml"))
        self.says("this is a pipe or a device, and no file")
        self.put("a.yaml", self.map_text(2, [f"127.0.0.1:{server}"]))
        self.says("epoch 2,")
        self.assertEqual(self.ended(process), 0)
        self.assertRegex(self.said().splitlines()[-1], "event=ended")

    def test_a_map_that_is_too_large_is_refused_unread(self):
        server, port = free_ports(2)
        self.put("a.yaml", self.map_text(1, [f"127.0.0.1:{server}"]))
        self.process = self.start("a", port)
        before = self.resident()
        with open(self.path("big"), "wb") as big:
            big.truncate(10 << 30)
        os.replace(self.path("big"), self.path("a.yaml"))
        self.says("the file is larger than 16.8 MB")
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1000
        self.assertLess(peak - before, 16, "MB")

    def test_one_that_drains_does_not_take_the_socket_of_the_next(self):
        server, port = free_ports(1)[0], self.path("r.sock")
        self.memcached(server)
        self.put("a.yaml", self.map_text(1, [f"127.0.0.1:{server}"]))
        shutil.copy(self.path("a.yaml"), self.path("b.yaml"))
        old = self.start("a", port)
        client = self.speaker_at(port)
        client.sendall(b"version\r\n")
        self.assertIn(b"VERSION", client.recv(100))
        client.sendall(b"set k 0 0 5\r\nab")
        time.sleep(0.2)
        old.terminate()
        self.says("event=draining")
        self.assertFalse(os.path.exists(port), "who comes now is told at once")
        new = self.start("b", port)
        client.sendall(b"cde\r\n")
        self.assertEqual(client.recv(100), b"STORED\r\n")
        self.assertEqual(old.wait(timeout=10), 0)
        later = self.speaker_at(port)
        later.sendall(b"get k\r\n")
        self.assertTrue(later.recv(100).startswith(b"VALUE k 0 5\r\n"))
        self.assertEqual(self.ended(new), 0)
        self.assertFalse(os.path.exists(port))

    def test_a_socket_that_another_has_put_there_is_left_alone(self):
        server, port = free_ports(1)[0], self.path("r.sock")
        self.put("a.yaml", self.map_text(1, [f"127.0.0.1:{server}"]))
        process = self.start("a", port)
        os.unlink(port)
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(port)
            self.assertEqual(self.ended(process), 0)
            self.assertTrue(os.path.exists(port))

    def speaker_at(self, path):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(10)
        client.connect(path)
        self.addCleanup(client.close)
        return client


class Folder(Surroundings):
    def remembered(self):
        with open(self.path("state/carts.served"), encoding="utf-8") as file:
            return int(file.read().split()[1])

    def test_of_two_routers_with_one_folder_none_goes_back_on_the_other(self):
        server, *ports = free_ports(3)
        os.mkdir(self.path("state"))
        processes = []
        for name, port in zip("ab", ports):
            self.put(name + ".yaml", self.map_text(3, [f"127.0.0.1:{server}"]))
            processes.append(self.start(name, port, "--state", self.path("state")))
        self.put("a.yaml", self.map_text(9, [f"127.0.0.1:{server}"]))
        self.says("epoch 9,")
        self.put("b.yaml", self.map_text(4, [f"127.0.0.1:{server}"]))
        self.says("a map of epoch 9 was served already", "b")
        self.assertEqual(self.remembered(), 9)
        self.put("b.yaml", self.map_text(9, [f"127.0.0.1:{server}"]))
        self.says("-> epoch 9,", "b")
        for process in processes:
            self.assertEqual(self.ended(process), 0)

    def test_routers_that_adopt_a_map_at_once_all_do(self):
        server, *ports = free_ports(4)
        os.mkdir(self.path("state"))
        self.put("all.yaml", self.map_text(1, [f"127.0.0.1:{server}"]))
        for name in "abc":
            os.symlink(self.path("all.yaml"), self.path(name + ".yaml"))
        processes = [self.start(name, port, "--state", self.path("state")) for name, port in zip("abc", ports)]
        for epoch in range(2, 22):
            self.put("all.yaml", self.map_text(epoch, [f"127.0.0.1:{server}"]))
            for process in processes:
                process.send_signal(signal.SIGHUP)
            for name in "abc":
                self.says(f"-> epoch {epoch},", name)
        self.assertEqual(self.remembered(), 21)
        for name in "abc":
            self.assertNotIn("map_refused", self.said(name))

    def test_a_map_that_could_not_be_remembered_is_served_once_it_can(self):
        server, port = free_ports(2)
        os.mkdir(self.path("state"))
        self.put("a.yaml", self.map_text(1, [f"127.0.0.1:{server}"]))
        self.start("a", port, "--state", self.path("state"))
        shutil.rmtree(self.path("state"))
        self.put("a.yaml", self.map_text(2, [f"127.0.0.1:{server}"]))
        self.says("event=map_refused")
        time.sleep(2)
        self.assertEqual(self.said().count("event=map_refused"), 1, "it is told once")
        os.mkdir(self.path("state"))
        self.says("-> epoch 2,")
        self.assertEqual(self.remembered(), 2)


class Names(Surroundings):
    @classmethod
    def setUpClass(cls):
        cls.resolver = Resolver()

    def setUp(self):
        super().setUp()
        self.resolver.silent = False
        subprocess.run([program("mount"), "--bind", self.write("resolv.conf", "nameserver 127.0.0.1\n"), "/etc/resolv.conf"], check=True)
        self.addCleanup(lambda: subprocess.run([program("umount"), "/etc/resolv.conf"], check=True))

    def test_nobody_waits_for_names_that_are_not_answered(self):
        server, port, admin = free_ports(3)
        memcached = self.memcached(server)
        named = [f"h{i}.example:{server}" for i in range(6)]
        self.put("a.yaml", self.map_text(1, named))
        process = self.start("a", port, "--admin", f"127.0.0.1:{admin}")
        client = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.addCleanup(client.close)
        for key in range(20):
            client.sendall(b"get %d\r\n" % key)
            self.assertEqual(client.recv(100), b"END\r\n")
        self.resolver.silent = True
        time.sleep(6)  # names are asked for again meanwhile
        self.put("a.yaml", self.map_text(2, named))
        self.says("-> epoch 2,", seconds=5)
        self.assertNotIn("host_unknown", self.said(), "they are what they were")
        self.put("a.yaml", self.map_text(3, [*named, f"new.example:{server}"]))
        self.says("-> epoch 3,", seconds=9)
        self.assertIn("event=host_unknown pool=", self.said())
        self.assertIn(f"new.example:{server} (its name was not answered yet)", self.said())
        memcached.terminate()
        wait_until(lambda: b"503" in self.ready(admin), "the page is up to date", 10)
        self.assertEqual(self.ended(process, 5), 0)
        self.assertRegex(self.said().splitlines()[-1], "event=ended")

    def test_a_name_that_is_answered_late_is_used_then(self):
        server, port = free_ports(2)
        self.memcached(server)
        self.resolver.silent = True
        self.put("a.yaml", self.map_text(1, [f"late.example:{server}"]))
        self.start("a", port, "--timeout", "1s")
        self.says("event=host_unknown")
        self.resolver.silent = False

        def answers():
            with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
                client.sendall(b"get k\r\n")
                return client.recv(100) == b"END\r\n"
        wait_until(answers, "its server is asked", 25)

    def ready(self, port):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return client.recv(100)


if __name__ == "__main__":
    private_network()
    unittest.main()
