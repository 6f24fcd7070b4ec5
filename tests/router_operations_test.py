#!/usr/bin/env python3
"""Running the router: its configuration and reloading it, its log, what a service manager hears, its limits, and its end."""
import fcntl
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import ARCWISED, Connection, RouterTest, pool, redis_command  # noqa: E402
from servers import free_ports, listens, program, stop, wait_until  # noqa: E402

SOURCE = os.environ.get("ARCWISE_SOURCE") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def check(path, *more):
    done = subprocess.run([ARCWISED, "--config", path, "--check", *more], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Operations(RouterTest):
    def map_text(self, epoch, addresses, cluster="c"):
        nodes = "".join(f"  - {{name: s{i}, address: '{address}'}}\n" for i, address in enumerate(addresses))
        return f"arcwise: 1\ncluster: {cluster}\nepoch: {epoch}\nplacement: {{recipe: ring, tokens: 16}}\nnodes:\n{nodes}"

    def own(self, listen, settings="", protocol="memcached", top="", epoch=1, addresses=()):
        """Our own configuration with the map in a file beside it; its path."""
        self.write("map.yaml", self.map_text(epoch, addresses))
        return self.write("arcwised.yaml", f"arcwised: 1\n{top}pools:\n  cache:\n    listen: '{listen}'\n    protocol: {protocol}\n"
                                           f"    map: map.yaml\n    timeout: 400ms\n{settings}")

    def replace(self, name, text):
        self.write("next", text)
        os.replace(os.path.join(self.processes.folder, "next"), os.path.join(self.processes.folder, name))

    def start(self, config, port, *more, env=None, limit=None):
        log = os.path.join(self.processes.folder, "arcwised.log")
        before = None
        if limit:
            before = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))  # noqa: E731
        with open(log, "wb") as out:
            self.process = subprocess.Popen([ARCWISED, "--config", config, *more], stdout=out, stderr=out, preexec_fn=before,
                                            env={**os.environ, **(env or {})})
        self.processes.started.append(self.process)
        self.log = log
        wait_until(lambda: self.process.poll() is not None or " listens on " in self.said() and (not port or listens(port)),
                   "the router listens")
        self.assertIsNone(self.process.poll(), self.said())

    def said(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def client(self, port):
        client = Connection(port)
        self.addCleanup(client.close)
        return client


class Configuration(Operations):
    def test_each_effective_value_is_shown_with_where_it_comes_from(self):
        port, server = free_ports(2)
        config = self.own(f"127.0.0.1:{port}", "    bound: 150%\n", top="threads: 2\n", addresses=[f"127.0.0.1:{server}"])
        code, text, error = check(config, "--json", "--set", "cache.coalesce=true", "--timeout", "250")
        self.assertEqual(code, 0, error)
        answer = json.loads(text)
        self.assertEqual(answer["schema"], "arcwise/check-config/v1")
        values = {row["name"]: row for row in answer["settings"] + answer["pools"][0]["settings"]}
        self.assertEqual([values[k]["value"] for k in ("threads", "bound", "coalesce", "timeout", "on_return")],
                         ["2", "150%", "true", "250ms", values["on_return"]["value"]])
        self.assertEqual(values["threads"]["source"], f"{config}:2")
        self.assertEqual(values["bound"]["source"], f"{config}:9")
        self.assertEqual([values[k]["source"] for k in ("coalesce", "timeout", "slow")], ["command line", "command line", "default"])
        self.assertEqual((values["timeout"]["live"], values["listen"]["live"]), (True, False))
        self.assertEqual(answer["files"], [config, os.path.join(self.processes.folder, "map.yaml")])
        _, table, _ = check(config)
        self.assertRegex(table, rf"(?m)^  bound +150% +{re.escape(config)}:9$")
        self.assertRegex(table, r"(?m)^  slow +\S+ +default$")

    def test_every_setting_is_documented_with_its_default(self):
        _, text, _ = check(self.own("127.0.0.1:1", addresses=["127.0.0.1:2"]), "--json")
        answer = json.loads(text)
        shown = [(row["name"], row["value"], "yes" if row["live"] else "no") for row in answer["settings"] + answer["pools"][0]["settings"]
                 if row["name"] not in ("listen", "timeout")]
        with open(os.path.join(SOURCE, "docs", "router-settings.md"), encoding="utf-8") as page:
            rows = re.findall(r"(?m)^\| `(\w+)` \| (.*?) \| (yes|no) \|", page.read())
        self.assertEqual([row for row in rows if row[0] not in ("listen", "timeout")], shown)

    def test_every_setting_of_nutcracker_is_known_as_nutcracker_itself_knows_it(self):
        settings = {"hash": "murmur", "hash_tag": '"{}"', "distribution": "ketama", "timeout": 300, "backlog": 64, "preconnect": "true",
                    "redis": "true", "redis_auth": "secret", "redis_db": 2, "tcpkeepalive": "true",
                    "client_connections": 100, "server_connections": 1, "auto_eject_hosts": "false", "server_retry_timeout": 2000,
                    "server_failure_limit": 3}
        path = self.write("all.yml", pool("cache", 22121, [(6379, 1, "a"), (6380, 2, "b")], **settings))
        theirs = subprocess.run([program("nutcracker"), "-t", "-c", path], capture_output=True, text=True, check=False)
        self.assertEqual(theirs.returncode, 0, theirs.stderr)
        # Twemproxy has one more since, which Debian's does not know.
        with open(path, "a", encoding="utf-8") as file:
            file.write("  reuseport: true\n")
        code, text, error = check(path, "--json")
        self.assertEqual((code, error), (0, ""))
        from_file = [row["name"] for row in json.loads(text)["pools"][0]["settings"] if row["source"].startswith(path)]
        self.assertEqual(sorted(from_file), sorted(["listen", "protocol", "timeout", "password", "client_password", "database", "backlog",
                                                    "reuse_port", "keepalive", "clients", "failure_limit", "eject_for"]))
        self.assertNotIn("secret", text)

    def test_the_short_options_are_nutcrackers_own(self):
        port, server = free_ports(2)
        self.memcached(server)
        path = self.write("p.yml", pool("cache", port, [(server, 1, "a")]))
        for name in (program("nutcracker"), ARCWISED):
            done = subprocess.run([name, "-t", "-c", path], capture_output=True, text=True, check=False, timeout=20)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, check(path)[1])
        process = subprocess.Popen([ARCWISED, "-c", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.started.append(process)
        wait_until(lambda: listens(port), "it listens")
        self.assertEqual(self.client(port).say("set k 0 0 1\r\n1\r\n").line(), "STORED")

    def test_what_is_set_in_vain_is_said_by_check_at_the_start_and_when_it_is_read_again(self):
        port, server = free_ports(2)
        self.memcached(server)
        config = self.own(f"127.0.0.1:{port}", "    queue_deadline: 1s\n", top="peers: ['127.0.0.1:1']\n", addresses=[f"127.0.0.1:{server}"])
        code, _, error = check(config)
        self.assertEqual((code, error), (0, f"arcwised: `peers` ({config}:2) does nothing without `admin`\n"
                                            f"arcwised: pool cache: `queue_deadline` ({config}:9) does nothing without `in_flight`\n"))
        answer = json.loads(check(config, "--json")[1])
        self.assertEqual([len(answer["notes"]), len(answer["pools"][0]["notes"])], [1, 1])
        self.start(config, port)
        wait_until(lambda: "event=started" in self.said(), "it has started")
        self.assertIn(f'event=not_followed text="`peers` ({config}:2) does nothing without `admin`"', self.said())
        self.assertIn(f'event=not_followed pool=cache text="`queue_deadline` ({config}:9) does nothing', self.said())
        with open(config, encoding="utf-8") as file:
            text = file.read()
        self.replace("arcwised.yaml", text + "    eject_for: 9s\n")
        wait_until(lambda: "`eject_for`" in self.said(), "what is new is said")
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "event=nothing_new" in self.said(), "and once")
        self.assertEqual(self.said().count("event=not_followed"), 3, self.said())

    def test_what_cannot_be_listened_on_is_found_before_the_start(self):
        for listen, code, why in (("/nowhere/at/all/r.sock 0660", 3, "no socket can be made in this folder: No such file or directory"),
                                  ("/tmp/r.sock 0999", 2, "no permission"), ("nowhere.invalid:22121", 3, "nowhere.invalid:22121")):
            config = self.own(listen, addresses=["127.0.0.1:2"])
            for more in ([], ["--check"]):
                done = subprocess.run([ARCWISED, "--config", config, *more], capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(f"{config}:4:", done.stderr)
                self.assertIn(why, done.stderr)

    def test_an_error_names_file_line_and_column_and_ends_it_with_2(self):
        config = self.own("127.0.0.1:1", "    timeuot: 1s\n", addresses=["127.0.0.1:2"])
        code, _, error = check(config)
        self.assertEqual(code, 2)
        self.assertIn(f"{config}:8:5: unknown key: \"timeuot\"; did you mean `timeout`?", error)
        code, _, error = check(config, "--json")
        self.assertEqual((code, json.loads(error)["error"]["line"]), (2, 8))
        code, _, error = check(self.own("127.0.0.1:1", addresses=["127.0.0.1:2"]), "--set", "timeuot=1s")
        self.assertEqual(code, 2)
        self.assertIn("command line: no such setting: \"timeuot=1s\"; did you mean `timeout`?", error)

    def test_a_new_map_file_and_new_settings_are_taken_up_and_no_connection_is_dropped(self):
        port, *servers = free_ports(3)
        for each in servers:
            self.memcached(each)
        addresses = [f"127.0.0.1:{each}" for each in servers]
        config = self.own(f"127.0.0.1:{port}", top="threads: 2\n", addresses=addresses[:1])
        self.start(config, port)
        clients = [self.client(port) for _ in range(8)]
        for i, client in enumerate(clients):
            self.assertEqual(client.say(f"set k{i} 0 0 1\r\n1\r\n").line(), "STORED")
        self.replace("map.yaml", self.map_text(2, addresses))  # nothing but the map file changes
        wait_until(lambda: "event=map_adopted" in self.said(), "the new map is taken up")
        self.assertRegex(self.said(), r"event=map_adopted pool=cache text=\"epoch 1, .* -> epoch 2, .* % of keys have another node\"")
        with open(config, encoding="utf-8") as file:
            text = file.read()
        self.replace("arcwised.yaml", text.replace("400ms", "2s").replace(f":{port}", ":1").replace("threads: 2", "threads: 3"))
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "event=settings_adopted" in self.said(), "the new setting is taken up")
        wait_until(lambda: "-> 127.0.0.1:1\"" in self.said(), "what needs a restart is told")
        self.assertIn('text="timeout 400ms -> 2s"', self.said())
        self.assertIn(f'pool=cache text="taken up after a restart: listen 127.0.0.1:{port} -> 127.0.0.1:1"', self.said())
        self.assertIn('event=restart_needed text="taken up after a restart: threads 2 -> 3"', self.said())
        self.replace("arcwised.yaml", "garbage")
        wait_until(lambda: "event=config_refused" in self.said(), "the garbage is refused")
        self.replace("arcwised.yaml", text.replace("400ms", "2s"))
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "event=nothing_new" in self.said(), "who asks is told that nothing has changed")
        for i, client in enumerate(clients):
            self.assertEqual(client.say(f"set k{i} 0 0 1\r\n2\r\nget k{i}\r\n").lines(4), ["STORED", f"VALUE k{i} 0 1", "2", "END"])


class Addresses(Operations):
    def test_unix_sockets_before_it_and_behind_it(self):
        folder = self.processes.folder
        server, listen = os.path.join(folder, "m.sock"), os.path.join(folder, "r.sock")
        self.processes.started.append(subprocess.Popen([program("memcached"), "-u", "root", "-s", server]))
        wait_until(lambda: os.path.exists(server), "memcached listens")
        path = self.write("p.yml", f"p:\n  listen: {listen} 0600\n  servers:\n   - {server}:1 one\n")
        left = socket.socket(socket.AF_UNIX)  # what a killed process leaves behind
        left.bind(listen)
        left.close()
        for threads in ("1", "3"):
            self.start(path, 0, "--threads", threads)
            self.assertEqual(os.stat(listen).st_mode & 0o777, 0o600)
            for i in range(6):
                client = socket.socket(socket.AF_UNIX)
                client.connect(listen)
                client.sendall(f"set k{i} 0 0 1\r\n{i}\r\nget k{i}\r\n".encode())
                with client.makefile("rb") as file:
                    self.assertEqual([file.readline() for _ in range(4)][2], f"{i}\r\n".encode())
                client.close()
            second = subprocess.run([ARCWISED, "--config", path], capture_output=True, text=True, check=False, timeout=20)
            self.assertEqual(second.returncode, 3)
            self.assertIn("another process listens there", second.stderr)
            self.process.terminate()
            self.assertEqual(self.process.wait(timeout=10), 0)
            self.assertFalse(os.path.exists(listen))

    def test_ipv6_before_it_and_behind_it(self):
        port, server = free_ports(2)
        self.processes.started.append(subprocess.Popen([program("memcached"), "-u", "root", "-l", "::1", "-p", str(server)]))
        for text in (f"p:\n  listen: '[::1]:{port}'\n  servers:\n   - \"[::1]:{server}:1\"\n",
                     f"p:\n  listen: '[::1]:{port}'\n  servers:\n   - ::1:{server}:1 named\n"):
            self.start(self.write("p.yml", text), 0, "--threads", "2")
            self.assertIn(f"listens on [::1]:{port}", self.said())
            client = socket.create_connection(("::1", port), timeout=10)
            with client.makefile("rb") as file:
                def stored(client=client, file=file):
                    client.sendall(b"set k 0 0 1\r\n1\r\n")
                    return file.readline() == b"STORED\r\n"
                wait_until(stored, "memcached is there")
            client.close()
            self.process.terminate()
            self.process.wait(timeout=10)

    def test_servers_may_be_named_by_their_hosts(self):
        port, server = free_ports(2)
        self.processes.started.append(subprocess.Popen([program("memcached"), "-u", "root", "-l", "127.0.0.1,::1", "-p", str(server)]))
        wait_until(lambda: listens(server), "memcached listens")
        self.start(self.own(f"localhost:{port}", addresses=[f"localhost:{server}", f"nowhere.invalid:{server}"]), 0)
        answers = set()
        client = socket.create_connection(("localhost", port), timeout=20)
        with client.makefile("rb") as file:
            for i in range(20):
                client.sendall(f"set {i * 7919}:k 0 0 1\r\n1\r\n".encode())
                answers.add(file.readline())
        client.close()
        self.assertEqual(answers, {b"STORED\r\n", b"SERVER_ERROR s1: Name or service not known\r\n"})

    def test_an_address_in_use_is_told_also_where_threads_share_a_port(self):
        port, server = free_ports(2)
        config = self.own(f"127.0.0.1:{port}", top="threads: 3\n", addresses=[f"127.0.0.1:{server}"])
        self.start(config, port)
        done = subprocess.run([ARCWISED, "--config", config], capture_output=True, text=True, check=False, timeout=20)
        self.assertEqual(done.returncode, 3)
        self.assertIn(f"cannot listen: Address already in use: \"127.0.0.1:{port}\"", done.stderr)

    def test_it_tells_servers_the_password_and_the_database_and_clients_need_neither(self):
        port, server = free_ports(2)
        self.processes.start([program("redis-server"), "--port", str(server), "--save", "", "--requirepass", "s3cret", "--dir",
                              self.processes.folder], server)
        config = self.own(f"127.0.0.1:{port}", "    password: s3cret\n    database: 3\n", "redis", addresses=[f"127.0.0.1:{server}"])
        self.start(config, port)
        self.assertEqual(self.client(port).say("SET k v\r\nGET k\r\n").lines(3), ["+OK", "$1", "v"])
        direct = self.client(server)
        direct.say(redis_command("AUTH", "s3cret") + redis_command("SELECT", "3") + redis_command("GET", "k"))
        self.assertEqual(direct.lines(4), ["+OK", "+OK", "$1", "v"])
        self.process.terminate()
        self.process.wait(timeout=10)
        self.start(self.own(f"127.0.0.1:{port}", "    password: wrong\n", "redis", addresses=[f"127.0.0.1:{server}"]), port)
        self.assertRegex(self.client(port).say("GET k\r\n").line(), "^-(WRONGPASS|NOAUTH|ERR s0)")


    def test_redis_auth_of_a_nutcracker_yml_is_asked_of_clients_as_nutcracker_does(self):
        ours, theirs, stats, server = free_ports(4)
        self.processes.start([program("redis-server"), "--port", str(server), "--save", "", "--requirepass", "s3cret", "--dir",
                              self.processes.folder], server)
        settings = {"redis": "true", "redis_auth": "s3cret"}
        self.start(self.write("ours.yml", pool("p", ours, [(server, 1, "a")], **settings)), ours)
        self.processes.start([program("nutcracker"), "-s", str(stats), "-c",
                              self.write("theirs.yml", pool("p", theirs, [(server, 1, "a")], **settings))], theirs)
        answers = []
        for port in (ours, theirs):
            client = self.client(port)
            client.say(redis_command("SET", "k", "v"))
            answers.append([client.line().split()[0]])
            client.say(redis_command("AUTH", "wrong"))
            answers[-1].append(client.line()[:1])
            client.say(redis_command("AUTH", "s3cret") + redis_command("SET", "k", "v") + redis_command("GET", "k"))
            answers[-1] += client.lines(4)
        self.assertEqual(answers[0], ["-NOAUTH", "-", "+OK", "+OK", "$1", "v"])
        self.assertEqual(answers[1], answers[0])


class Limits(Operations):
    def processor_time(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_more_clients_than_allowed_are_told_so_over_all_threads(self):
        port, server = free_ports(2)
        self.memcached(server)
        self.start(self.own(f"127.0.0.1:{port}", "    clients: 5\n", top="threads: 3\n", addresses=[f"127.0.0.1:{server}"]), 0)
        wait_until(lambda: listens(port), "it listens")
        time.sleep(0.2)  # the probe is gone
        clients = [self.client(port) for _ in range(5)]
        for client in clients:
            self.assertEqual(client.say("mn\r\n").line(), "MN")
        for _ in range(3):
            self.assertEqual(self.client(port).line(), "SERVER_ERROR max number of clients reached")
        wait_until(lambda: "event=client_refused" in self.said(), "the log says so")
        self.assertEqual(self.said().count("event=client_refused"), 1, "once, whichever threads refuse")
        clients[0].close()
        wait_until(lambda: self.client(port).say("mn\r\n").line() == "MN", "there is room again")

    def test_out_of_descriptors_it_refuses_and_does_not_spin(self):
        port, server = free_ports(2)
        self.memcached(server)
        self.start(self.own(f"127.0.0.1:{port}", addresses=[f"127.0.0.1:{server}"]), port, limit=40)
        wait_until(lambda: "event=few_descriptors" in self.said(), "the log says so")
        first = self.client(port)
        self.assertEqual(first.say("set k 0 0 1\r\n1\r\n").line(), "STORED")
        clients = [self.client(port) for _ in range(60)]
        refused = 0
        for client in clients:
            client.socket.settimeout(10)
            try:
                client.say("mn\r\n")
                refused += client.line() != "MN"
            except OSError:
                refused += 1
        self.assertTrue(15 < refused < 60, refused)
        before = self.processor_time()
        time.sleep(1)
        self.assertLess(self.processor_time() - before, 0.5)
        self.assertEqual(first.say("get k\r\n").lines(3), ["VALUE k 0 1", "1", "END"])
        for client in clients:
            client.close()
        wait_until(lambda: self.client(port).say("mn\r\n").line() == "MN", "there is room again")

    def test_idle_it_sleeps(self):
        port, server = free_ports(2)
        self.memcached(server)
        self.start(self.own(f"127.0.0.1:{port}", top="threads: 2\n", addresses=[f"127.0.0.1:{server}"]), port)
        client = self.client(port)
        self.assertEqual(client.say("set k 0 0 1\r\n1\r\n").line(), "STORED")

        def wakeups():
            count = 0
            for task in os.listdir(f"/proc/{self.process.pid}/task"):
                with open(f"/proc/{self.process.pid}/task/{task}/status", encoding="utf-8") as status:
                    count += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read(), re.MULTILINE)[1])
            return count

        time.sleep(0.5)
        before = wakeups()
        time.sleep(2)
        self.assertLess(wakeups() - before, 60, "in 2 s, over all threads")
        self.assertEqual(client.say("get k\r\n").lines(3), ["VALUE k 0 1", "1", "END"])


class End(Operations):
    def test_what_is_under_way_is_answered_idle_clients_are_closed_and_nobody_new_is_taken(self):
        port, server = free_ports(2)
        memcached = self.memcached(server)
        self.start(self.own(f"127.0.0.1:{port}", top="threads: 2\n", addresses=[f"127.0.0.1:{server}"]), port, "--timeout", "9s")
        idle, busy, half = self.client(port), self.client(port), self.client(port)
        for client in (idle, busy, half):
            self.assertEqual(client.say("set k 0 0 1\r\n1\r\n").line(), "STORED")
        stop(memcached)
        try:
            busy.say("get k\r\nget k\r\n")
            half.say("set other 0 0 5\r\nhe")
            time.sleep(0.1)
            self.process.terminate()
            self.assertEqual(idle.line(), "", "closed")
            wait_until(lambda: not listens(port), "nobody new is taken")
            half.say("llo\r\n")
            time.sleep(0.1)
        finally:
            memcached.send_signal(signal.SIGCONT)
        self.assertEqual(busy.lines(3), ["VALUE k 0 1", "1", "END"])
        self.assertEqual(half.lines(2), ["STORED", ""])
        self.assertEqual(self.process.wait(timeout=10), 0)

    def test_a_second_term_ends_it_at_once(self):
        port, server = free_ports(2)
        memcached = self.memcached(server)
        self.start(self.own(f"127.0.0.1:{port}", addresses=[f"127.0.0.1:{server}"]), port, "--set", "drain=1min", "--timeout", "1min")
        client = self.client(port)
        self.assertEqual(client.say("set k 0 0 1\r\n1\r\n").line(), "STORED")
        stop(memcached)
        try:
            client.say("get k\r\n")
            time.sleep(0.1)
            self.process.terminate()
            time.sleep(0.3)
            self.assertIsNone(self.process.poll(), "it waits for the answer")
            self.process.terminate()
            self.assertEqual(self.process.wait(timeout=10), 1)
        finally:
            memcached.send_signal(signal.SIGCONT)

    def test_a_service_manager_hears_of_start_reload_life_and_end(self):
        port, server = free_ports(2)
        for name in (os.path.join(self.processes.folder, "notify"), "\0arcwise-test-" + str(os.getpid())):
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(name)
                manager.settimeout(20)

                def hear(wanted, manager=manager):
                    while (heard := manager.recv(4096).decode()) == "WATCHDOG=1" != wanted:
                        pass
                    return heard

                env = {"NOTIFY_SOCKET": name.replace("\0", "@"), "WATCHDOG_USEC": "300000"}
                self.start(self.own(f"127.0.0.1:{port}", addresses=[f"127.0.0.1:{server}"]), port, env=env)
                self.assertEqual(hear("READY=1"), "READY=1")
                for _ in range(3):
                    self.assertEqual(hear("WATCHDOG=1"), "WATCHDOG=1")
                self.process.send_signal(signal.SIGHUP)
                self.assertRegex(hear("RELOADING=1"), r"^RELOADING=1\nMONOTONIC_USEC=\d+$")
                self.assertEqual(hear("READY=1"), "READY=1")
                self.process.terminate()
                self.assertEqual(hear("STOPPING=1"), "STOPPING=1")
                self.assertEqual(self.process.wait(timeout=10), 0)


class Logs(Operations):
    def test_nobody_waits_for_who_should_read_the_log(self):
        port, server = free_ports(2)
        memcached = self.memcached(server)
        config = self.own(f"127.0.0.1:{port}", addresses=[f"127.0.0.1:{server}"])
        read, write = os.pipe()
        fcntl.fcntl(write, 1031, 4096)  # F_SETPIPE_SZ: full after some forty lines
        self.process = subprocess.Popen([ARCWISED, "--config", config], stdout=subprocess.DEVNULL, stderr=write)
        self.processes.started.append(self.process)
        os.close(write)
        self.addCleanup(os.close, read)
        wait_until(lambda: listens(port), "it listens")
        client = self.client(port)
        for _ in range(100):
            self.process.send_signal(signal.SIGHUP)
            time.sleep(0.005)
        for _ in range(3):
            self.assertEqual(client.say("set k 0 0 1\r\n1\r\n").line(), "STORED")
            memcached.kill()
            memcached.wait()
            self.assertRegex(client.say("get k\r\n").line(), "SERVER_ERROR s0: ")
            memcached = self.memcached(server)
            wait_until(lambda: client.say("get k\r\n").line() == "END", "memcached is back")
        self.process.terminate()
        self.assertEqual(self.process.wait(timeout=10), 0)

    def test_json_is_one_object_a_line_and_a_server_that_flaps_does_not_fill_the_log(self):
        port, server = free_ports(2)
        listener = socket.create_server(("127.0.0.1", server))
        self.addCleanup(listener.close)
        config = self.own(f"127.0.0.1:{port}", "    first_retry: 1ms\n    last_retry: 1ms\n", addresses=[f"127.0.0.1:{server}"])
        self.start(config, port, "--log", "json")
        client = self.client(port)
        for _ in range(60):  # each connection is closed at once
            client.say("get k\r\n")
            listener.settimeout(2)
            try:
                accepted, _ = listener.accept()
                accepted.recv(1000)
                accepted.sendall(b"MN\r\nEN\r\n")
                accepted.close()
            except socket.timeout:
                pass
            client.line()
            time.sleep(0.005)
        self.process.terminate()
        self.process.wait(timeout=10)
        lines = [json.loads(line) for line in self.said().splitlines() if line.startswith("{")]
        lost = [line for line in lines if line["event"] == "server_lost"]
        self.assertTrue(1 <= len(lost) <= 10, lines)
        self.assertEqual({(line["pool"], line["server"], line["level"]) for line in lost}, {("cache", "s0", "warning")})
        self.assertEqual(len(lines), len(self.said().splitlines()) - 1, "all but the line that says where it listens")


if __name__ == "__main__":
    unittest.main()
