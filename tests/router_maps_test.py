#!/usr/bin/env python3
"""The router while its maps change: often, under load, and into what may not follow."""
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from protocols import Memcached, Redis  # noqa: E402
from router import ARCWISED, RouterTest  # noqa: E402
from servers import free_ports, listens, wait_until  # noqa: E402


class Maps(RouterTest):
    def map_text(self, epoch, ports, cluster="carts"):
        nodes = "".join(f"  - {{name: s{port}, address: '127.0.0.1:{port}'}}\n" for port in ports)
        return f"arcwise: 1\ncluster: {cluster}\nepoch: {epoch}\nplacement: {{recipe: ring, tokens: 16}}\nnodes:\n{nodes}"

    def replace(self, path, text):
        self.write("next.yaml", text)
        os.replace(os.path.join(self.processes.folder, "next.yaml"), path)

    def serve(self, protocol, path, port, *more):
        listen = "--redis" if protocol.is_redis else "--memcached"
        self.processes.start([ARCWISED, "--map", path, listen, f"127.0.0.1:{port}", *more], port)
        self.process = self.processes.started[-1]
        self.log = os.path.join(self.processes.folder, f"{port}.log")
        return self.speaker(port, protocol)

    def said(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def swapped(self, protocol, times):
        port, *ports = free_ports(5)
        for each in ports:
            (self.redis if protocol.is_redis else self.memcached)(each)
        path = self.write("map.yaml", self.map_text(1, ports))
        client, said = self.serve(protocol, path, port), ""
        with open(self.log, encoding="utf-8") as log:
            for epoch in range(2, 2 + times):
                left_out = epoch % 5
                self.replace(path, self.map_text(epoch, [p for i, p in enumerate(ports) if i != left_out]))
                self.process.send_signal(signal.SIGHUP)
                asked = 0
                while f"epoch {epoch}," not in said or asked < 3:
                    said += log.read()
                    keys = [b"%d:%d" % (epoch, asked * 10 + i) for i in range(10)]
                    client.say(b"".join(protocol.set(key, key) + protocol.get(key) for key in keys))
                    for key in keys:
                        self.assertTrue(client.heard().done)
                        # Another node may be asked than the one that it was written to.
                        self.assertIn(client.heard(), [(True, key, None), (True, None, None)])
                    asked += 1
                said = said[-1000:]
                if epoch == 1 + times // 10:
                    resident, descriptors = self.resident(), self.descriptors()
        self.assertEqual(self.said().count(" of keys have another node"), times)
        self.assertLess(self.resident() - resident, 30, "MB: old maps are given back")
        self.assertLess(self.descriptors(), descriptors + 4, "as many servers as there are, at most")

    def test_a_map_is_swapped_a_thousand_times_under_load_and_no_connection_notices(self):
        self.swapped(Memcached, 1000)

    def test_so_it_is_before_redis(self):
        self.swapped(Redis, 100)

    def test_a_map_that_is_replaced_while_the_router_begins_is_served(self):
        port, server = free_ports(2)
        for turn in range(12):
            path = self.write("map.yaml", self.map_text(1, [server]))
            log = os.path.join(self.processes.folder, f"{turn}.log")
            with open(log, "wb") as out:
                router = subprocess.Popen([ARCWISED, "--map", path, "--memcached", f"127.0.0.1:{port}"], stdout=out, stderr=out)
            self.processes.started.append(router)
            wait_until(lambda: listens(port), "it listens", pause=0.0005)
            self.replace(path, self.map_text(2, [server]))

            def adopted(log=log):
                with open(log, encoding="utf-8") as file:
                    return "-> epoch 2," in file.read()
            wait_until(adopted, "the later map")
            router.terminate()
            router.wait(timeout=10)

    def test_what_may_not_follow_is_refused_and_the_old_map_stays(self):
        port, *ports = free_ports(3)
        for each in ports:
            self.memcached(each)
        state = os.path.join(self.processes.folder, "state")
        os.mkdir(state)
        path = self.write("map.yaml", self.map_text(7, ports))
        client = self.serve(Memcached, path, port, "--state", state)
        keys = [b"k%d" % (i * 7919) for i in range(40)]
        for key in keys:
            self.assertTrue(client.set(key, key).done)
        for text, expected in (("garbage", "the map that is served stays"), (self.map_text(6, ports), "none older may follow"),
                               (self.map_text(7, ports[:1]), "another map of the same epoch"),
                               (self.map_text(8, ports[:1], "sessions"), "another cluster")):
            self.replace(path, text)
            wait_until(lambda expected=expected: expected in self.said(), expected)
            for key in keys:
                self.assertEqual(client.get(key).value, key, "each key is where it was")
        self.process.terminate()
        self.process.wait(timeout=10)
        done = subprocess.run([ARCWISED, "--map", self.write("old.yaml", self.map_text(6, ports)), "--memcached", "127.0.0.1:0",
                               "--state", state], capture_output=True, text=True, check=False, timeout=20)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("none older may follow", done.stderr)


if __name__ == "__main__":
    unittest.main()
