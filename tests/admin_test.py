#!/usr/bin/env python3
"""The admin address of the router: the same answers as the command line, metrics that Prometheus takes, health that says why, changes
that nobody makes by accident."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import ARCWISED, Connection, RouterTest, pool, redis_command  # noqa: E402
from servers import free_ports, program, wait_until  # noqa: E402

SOURCE = os.environ.get("ARCWISE_SOURCE") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARCWISE = os.path.abspath(os.environ.get("ARCWISE") or "build/bin/arcwise")
KEYS = ["user:1042", "a", "{tag}x", "gr\u00fc\u00df", "with space & = +", "x" * 200]


def map_text(epoch, ports, cluster="carts"):
    nodes = "".join(f"  - {{name: cache-{i}, address: '127.0.0.1:{port}', rack: r{i % 2}}}\n" for i, port in enumerate(ports))
    return f"arcwise: 1\ncluster: {cluster}\nepoch: {epoch}\nplacement: {{recipe: ring, tokens: 16}}\nnodes:\n{nodes}"


class Admin(RouterTest):
    def start_router(self, path, port, admin, *more):
        self.processes.start([ARCWISED, "--map", path, "--memcached", f"127.0.0.1:{port}", "--admin", f":{admin}", "--timeout", "300", *more],
                             admin)
        self.admin = admin
        wait_until(lambda: self.ask("/api/v1/backends", admin)[0] == 200, "the first view")
        return self.processes.started[-1]

    def serve(self, servers=3, *more):
        """A router before so many memcached; its port and theirs."""
        port, admin, *ports = free_ports(servers + 2)
        self.servers = [self.memcached(each) for each in ports]
        self.map = self.write("map.yaml", map_text(3, ports))
        self.process = self.start_router(self.map, port, admin, *more)
        return port, ports

    def ask(self, path, admin=None, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", admin or self.admin, timeout=30)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def json(self, path, **more):
        status, body = self.ask(path, **more)
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def nodes(self):
        return {node["name"]: node for node in self.json("/api/v1/backends")["pools"][0]["nodes"]}

    def cli(self, *words):
        done = subprocess.run([ARCWISE, *words, "--json"], capture_output=True, text=True, check=False)
        self.assertLess(done.returncode, 2, done.stderr)
        return done.stdout

    def metrics(self):
        """Sample names with labels -> value."""
        lines = [line.rsplit(" ", 1) for line in self.ask("/metrics")[1].splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}


class SameAsTheCommandLine(Admin):
    def compare(self, suffix=""):
        for verb, api in (("import", "map"), ("ownership", "ownership"), ("fingerprint", "fingerprint")):
            self.assertEqual(self.ask(f"/api/v1/{api}?{suffix}")[1], self.cli(verb, self.map, *self.reading), verb)
        for key in KEYS:
            self.assertEqual(self.ask(f"/api/v1/explain?{suffix}&key={urllib.parse.quote(key)}")[1],
                             self.cli("explain", self.map, key, *self.reading), key)
        many = "".join(f"&key={urllib.parse.quote(key)}" for key in KEYS)
        self.assertEqual(self.ask(f"/api/v1/locate?{suffix}{many}")[1], self.cli("locate", self.map, *KEYS, *self.reading))

    def test_map_ownership_locate_explain_and_fingerprint(self):
        self.serve()
        self.reading = []
        self.compare()

    def test_each_pool_of_a_nutcracker_file(self):
        ports = free_ports(6)
        for port in ports[2:4]:
            self.memcached(port)
        self.map = self.write("n.yml", "".join(pool(name, listen, [(p, 1, f"s{p}") for p in ports[2:4]], hash="md5", distribution="ketama")
                                               for name, listen in (("one", ports[0]), ("two", ports[1]))))
        self.processes.start([ARCWISED, "--config", self.map, "--admin", f"127.0.0.1:{ports[4]}"], ports[4])
        self.admin = ports[4]
        for name in ("one", "two"):
            self.reading = ["--pool", name]
            self.compare("pool=" + name)
        status, body = self.ask("/api/v1/map")
        self.assertEqual((status, json.loads(body)["error"]["advice"]), (404, "add ?pool=NAME; there are: one, two"))

    def test_explain_and_fingerprint_on_the_connection_of_either_protocol(self):
        port, ports = self.serve()
        client = Connection(port)
        self.addCleanup(client.close)
        for words, expected in ((f"explain {KEYS[0]}", self.cli("explain", self.map, KEYS[0])), ("fingerprint", self.cli("fingerprint", self.map))):
            line, end = client.say(f"stats {words}\r\n").lines(2)
            self.assertEqual((json.loads(line.split(" ", 2)[2]), end), (json.loads(expected), "END"))
        self.assertEqual(client.say("stats explain\r\n").line(), "CLIENT_ERROR stats explain: give a key")
        redis, = free_ports(1)
        self.processes.start([ARCWISED, "--map", self.map, "--redis", f"127.0.0.1:{redis}"], redis)
        other = Connection(redis)
        self.addCleanup(other.close)
        for words, expected in ((("EXPLAIN", KEYS[0]), self.cli("explain", self.map, KEYS[0])), (("fingerprint",), self.cli("fingerprint", self.map))):
            size, line = other.say(redis_command("arcwise", *words)).lines(2)
            self.assertEqual((json.loads(line), size), (json.loads(expected), f"${len(line.encode())}"))
        self.assertRegex(other.say(redis_command("ARCWISE", "nope")).line(), "^-ERR use ARCWISE EXPLAIN key")


class Looking(Admin):
    def test_metrics_are_what_prometheus_takes_and_what_clients_did(self):
        port, _ = self.serve()
        client = Connection(port)
        self.addCleanup(client.close)
        for i in range(30):
            client.say(f"set k{i} 0 0 5\r\nhello\r\n").line()
        for i in range(40):
            client.say(f"get k{i}\r\n").lines(3 if i < 30 else 1)
        wait_until(lambda: self.metrics()['arcwise_requests_total{pool="%s"}' % self.map] == 70, "requests are counted")
        wait_until(lambda: self.total("node_stored_items") == 30, "items are measured")
        text = self.ask("/metrics")[1]
        checked = subprocess.run([program("promtool"), "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        self.assertEqual({line.split()[2][:8] for line in text.splitlines() if line.startswith("# TYPE")}, {"arcwise_"})
        self.assertEqual([self.total(name) for name in ("node_requests_total", "node_hits_total", "node_misses_total", "node_errors_total",
                                                         "node_latency_seconds_count", "node_up")], [70, 30, 10, 0, 70, 3])
        self.assertAlmostEqual(self.total("node_share_ratio"), 1)
        self.assertGreater(self.total("node_stored_bytes"), 30 * 5)
        own = json.loads(self.cli("ownership", self.map))
        found = self.metrics()
        for node in own["nodes"]:
            labels = '{pool="%s",node="%s"}' % (self.map, node["name"])
            for name, field in (("share", "share"), ("target_share", "target_share"), ("effective_share", "effective_share")):
                self.assertEqual(found[f"arcwise_node_{name}_ratio{labels}"], node[field])
        self.assertEqual([self.total(name) for name in ("ring_entries", "replica_sets", "map_epoch", "map_info", "clients")],
                         [own["ring_entries"], own["replica_sets"], 3, 1, 1])
        self.assertIn(f'fingerprint="{own["fingerprint"]}"', text)
        self.assertGreaterEqual(found['arcwise_events_total{severity="note"}'], 1, "it has started")
        self.assertEqual(found['arcwise_events_total{severity="alarm"}'], 0)
        self.documented_expressions_name_what_is_there(text)

    def documented_expressions_name_what_is_there(self, text):
        with open(os.path.join(SOURCE, "docs", "router.md"), encoding="utf-8") as page:
            named = set(re.findall(r"\barcwise_[a-z0-9_]+", page.read()))
        there = set(re.findall(r"(?m)^(arcwise_[a-z0-9_]+)", text))
        self.assertGreaterEqual(len(named), 10)
        self.assertEqual(named - there, set())

    def total(self, name):
        return sum(value for sample, value in self.metrics().items() if sample.split("{")[0] == "arcwise_" + name)

    def test_a_silent_node_is_told_in_words_and_readiness_says_why(self):
        port, _ = self.serve(2)
        self.assertEqual(self.ask("/readyz"), (200, "ready\n"))
        self.assertEqual(self.ask("/healthz"), (200, "ok\n"))
        client = Connection(port)
        self.addCleanup(client.close)
        client.say("".join(f"set k{i} 0 0 1\r\n1\r\n" for i in range(20))).lines(20)
        wait_until(lambda: {n["words"] for n in self.nodes().values()} == {"answers"}, "both answer")
        for server in self.servers:
            server.send_signal(signal.SIGSTOP)
        try:
            client.say("".join(f"get k{i}\r\n" for i in range(20)))
            wait_until(lambda: all(n["away"] and n["words"].startswith("no reply for ") for n in self.nodes().values()), "both are silent")
            wait_until(lambda: self.ask("/readyz")[0] == 503, "not ready")
            self.assertRegex(self.ask("/readyz")[1], "^not ready\npool .*: none of its 2 nodes answers; cache-0: no reply for ")
            ready = json.loads(self.ask("/readyz", Accept="application/json")[1])
            self.assertEqual((ready["schema"], ready["ok"], len(ready["because"])), ("arcwise/ready/v1", False, 1))
            self.assertEqual(self.ask("/healthz")[0], 200)
        finally:
            for server in self.servers:
                server.send_signal(signal.SIGCONT)
        wait_until(lambda: self.ask("/readyz")[0] == 200, "ready again")
        names = [event["name"] for event in self.json("/api/v1/events")["events"]]
        self.assertIn("server_stalled", names)
        # One of its own questions that was asked before may end the wait of all that is behind it at once: again then.
        wait_until(lambda: self.pause(client) or self.json("/api/v1/slowlog")["slow"], "a slow request is noted")
        slow = self.json("/api/v1/slowlog")["slow"]
        self.assertRegex(slow[0]["request"], r"^get k\d+$")
        self.assertGreater(slow[0]["seconds"], 0.1)

    def pause(self, client):
        """The servers stand still for a while in which something is asked of them."""
        for server in self.servers:
            server.send_signal(signal.SIGSTOP)
        client.say("".join(f"get k{i}\r\n" for i in range(20)))
        time.sleep(0.3)
        for server in self.servers:
            server.send_signal(signal.SIGCONT)

    def test_a_node_that_nobody_asks_is_known_to_be_gone(self):
        self.serve(2)
        self.assertFalse(any(node["away"] for node in self.nodes().values()))
        self.servers[1].kill()
        self.servers[1].wait()
        wait_until(lambda: self.nodes()["cache-1"]["away"], "it is gone")
        self.assertIn("refused", self.nodes()["cache-1"]["words"])
        self.assertEqual((self.nodes()["cache-0"]["away"], self.ask("/readyz")[0]), (False, 200))

    def test_routers_that_serve_different_maps_alarm_until_they_agree(self):
        port, other_port, admin, other_admin, *ports = free_ports(6)
        for each in ports:
            self.memcached(each)
        one, two = self.write("one.yaml", map_text(3, ports)), self.write("two.yaml", map_text(4, ports[:1]))
        self.start_router(two, other_port, other_admin)
        self.start_router(one, port, admin, "--peers", f"127.0.0.1:{other_admin}")
        peer = lambda: self.json("/api/v1/backends")["peers"][0]  # noqa: E731
        names = lambda: [event["name"] for event in self.json("/api/v1/events")["events"]]  # noqa: E731
        wait_until(lambda: "routers_differ" in names(), "an alarm")
        self.assertEqual((peer()["agrees"], peer()["differing"]), (False, [one]))
        told = lambda: [self.metrics()['arcwise_peer_%s{peer="127.0.0.1:%d"}' % (name, other_admin)] for name in ("up", "differs")]  # noqa: E731
        self.assertEqual(told(), [1, 1])
        self.write("one.yaml", map_text(4, ports[:1]))
        wait_until(lambda: "routers_agree" in names(), "they agree")
        self.assertTrue(peer()["agrees"])
        self.assertEqual(told(), [1, 0])


class Changing(Admin):
    def post(self, text, query="", **headers):
        status, body = self.ask("/api/v1/change" + query, method="POST", body=text, **{"Content_Type": "application/yaml", **headers})
        return status, json.loads(body)

    def test_a_change_is_planned_and_applied_only_by_who_means_it(self):
        token = self.write("token", "0123456789abcdef\n")
        port, ports = self.serve(3, "--admin-token", token)
        new, = free_ports(1)
        self.memcached(new)
        text = map_text(4, [*ports, new])
        planned = self.write("next.yaml", text)
        status, plan = self.post(text)
        self.assertEqual((status, plan["applied"], plan["epoch_before"], plan["epoch_after"]), (200, False, 3, 4))
        expected = json.loads(self.cli("diff", self.map, planned))
        for field in ("before", "after", "moved_share", "primary_moved_share", "transfers", "donors"):
            self.assertEqual(plan[field], expected[field], field)
        apply = f"?apply=1&expect={plan['before']}"
        right = {"Authorization": "Bearer 0123456789abcdef"}
        for status, query, headers, what in ((401, apply, {}, text), (401, apply, {"Authorization": "Bearer wrong"}, text),
                                             (400, "?apply=1", right, text), (409, "?apply=1&expect=nope", right, text),
                                             (409, apply, right, map_text(2, ports)), (400, apply, right, "garbage"),
                                             (415, apply, {**right, "Content_Type": "text/plain"}, text),
                                             (403, apply, {**right, "Origin": "http://elsewhere.example"}, text),
                                             (403, apply, {**right, "Sec_Fetch_Site": "cross-site"}, text)):
            got, body = self.post(what, query, **headers)
            self.assertEqual(got, status, body)
            self.assertEqual(self.json("/api/v1/fingerprint")["fingerprint"], plan["before"])
        status, done = self.post(text, apply, **right)
        self.assertEqual((status, done["applied"]), (200, True), done)
        self.assertEqual(self.json("/api/v1/fingerprint")["fingerprint"], plan["after"])
        wait_until(lambda: len(self.nodes()) == 4, "the page's numbers follow")
        self.assertEqual(self.post(text, apply, **right)[0], 409, "it was made from another map")
        client = Connection(port)
        self.addCleanup(client.close)
        client.say("".join(f"set k{i} 0 0 1\r\n1\r\n" for i in range(200)))
        self.assertEqual(set(client.lines(200)), {"STORED"})
        wait_until(lambda: self.nodes()["cache-3"]["requests"] > 0, "the new node is asked")

    def test_without_a_token_nothing_is_applied(self):
        _, ports = self.serve(1)
        status, body = self.post(map_text(4, ports), "?apply=1&expect=" + self.json("/api/v1/fingerprint")["fingerprint"])
        self.assertEqual((status, body["error"]["why"]), (403, "this router applies no change that comes by HTTP"))


class Http(Admin):
    def test_what_is_asked_wrongly_gets_one_answer_and_harms_nobody(self):
        self.serve(1)
        for status, path, more in ((404, "/nope", {}), (404, "/api/v1/nope", {}), (400, "/api/v1/explain", {}), (405, "/api/v1/map", {"method": "POST"}),
                                   (405, "/api/v1/change", {}), (405, "/", {"method": "DELETE"}), (421, "/", {"Host": "evil.example"}),
                                   (421, "/", {"Host": socket.gethostname() + ".evil.example"}),
                                   (404, "/api/v1/map?pool=nope", {}), (431, "/", {"X_Long": "x" * 20000}),
                                   (413, "/api/v1/change", {"method": "POST", "Content_Length": str(1 << 30), "Content_Type": "application/yaml"})):
            got, body = self.ask(path, **more)
            self.assertEqual(got, status, (path, body))
            self.assertIn("why", json.loads(body)["error"], path)
        for host in ("localhost", socket.gethostname(), f"127.0.0.1:{self.admin}", "[::1]:1"):
            self.assertEqual(self.ask("/healthz", Host=host)[0], 200)
        raw = Connection(self.admin).say("garbage\r\n\r\n")
        self.addCleanup(raw.close)
        self.assertIn(" 400 ", raw.line())
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=30)
        self.addCleanup(connection.close)
        connection.request("HEAD", "/metrics")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b""))
        connection.request("GET", "/")
        answer = connection.getresponse()
        text = answer.read().decode()
        policy = answer.headers["Content-Security-Policy"]
        nonce = policy.split("'nonce-")[1].split("'")[0]
        self.assertEqual((text.count(f'nonce="{nonce}"'), "{{nonce}}" in text, len(nonce)), (2, False, 32))
        self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])

    def hold(self, count, text):
        held = [Connection(self.admin).say(text) for _ in range(count)]
        for one in held:
            self.addCleanup(one.close)
        return held

    def test_who_asks_slowly_takes_nobodys_place(self):
        self.serve(1)
        for _ in range(4):
            self.hold(50, "GET / HTTP/1.1\r\nX: ")
            self.assertEqual([self.ask(path)[0] for path in ("/healthz", "/metrics", "/")], [200, 200, 200])

    def test_where_streams_take_all_places_health_is_told_alone(self):
        self.serve(1)
        held = []

        def all_are_taken():  # one whose header is not read yet gives way to who comes
            held.extend(self.hold(1 if held else 64, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            return self.ask("/")[0] == 503

        wait_until(all_are_taken, "further ones are refused")
        self.assertEqual(self.ask("/healthz")[0], 200, "but for health there are places")
        for one in held:
            one.close()
        wait_until(lambda: self.ask("/")[0] == 200, "others are answered")

    def test_the_head_of_a_stream_ends(self):
        self.serve(1)
        with socket.create_connection(("127.0.0.1", self.admin), timeout=20) as raw:
            raw.sendall(b"HEAD /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            head = b"".join(iter(lambda: raw.recv(65536), b""))
        self.assertRegex(head.decode(), r"(?s)^HTTP/1\.1 200 OK\r\n.*text/event-stream.*\r\n\r\n$")

    def test_a_stream_tells_of_the_router_every_second(self):
        self.serve(1)
        stream = Connection(self.admin).say("GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.addCleanup(stream.close)
        frames = []
        while len(frames) < 3:
            line = stream.line()
            if line.startswith("data: "):
                frames.append(json.loads(line[6:]))
        self.assertEqual({frame["schema"] for frame in frames}, {"arcwise/backends/v1"})
        self.assertLess(frames[0]["time"], frames[2]["time"])
        self.process.terminate()
        self.assertEqual(self.process.wait(timeout=10), 0, "a stream does not keep it")


if __name__ == "__main__":
    unittest.main()
