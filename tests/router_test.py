#!/usr/bin/env python3
"""The router before real servers: beside nutcracker on the same configuration, with what clients do wrong, and with servers
that go away."""
import os
import random
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from servers import Processes, free_ports, program, wait_until  # noqa: E402

ARCWISED = os.path.abspath(os.environ.get("ARCWISED") or "build/bin/arcwised")
HASHES = ["one_at_a_time", "md5", "crc16", "crc32", "crc32a", "fnv1_64", "fnv1a_64", "fnv1_32", "fnv1a_32", "hsieh", "murmur",
          "jenkins"]


class Connection:
    """A client that says bytes and reads lines."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.file = self.socket.makefile("rb")

    def say(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())
        return self

    def line(self):
        return self.file.readline().decode().rstrip("\r\n")

    def lines(self, count):
        return [self.line() for _ in range(count)]

    def close(self):
        self.file.close()
        self.socket.close()


def redis_command(*words):
    return f"*{len(words)}\r\n" + "".join(f"${len(w)}\r\n{w}\r\n" for w in words)


def pool(name, listen, servers, **settings):
    lines = [f"{name}:", f"  listen: 127.0.0.1:{listen}"]
    lines += [f"  {key}: {value}" for key, value in settings.items()]
    return "\n".join(lines + ["  servers:"] + [f"   - 127.0.0.1:{port}:{weight} {label}" for port, weight, label in servers]) + "\n"


class RouterTest(unittest.TestCase):
    def setUp(self):
        self.processes = Processes().__enter__()
        self.addCleanup(lambda: self.processes.__exit__())

    def write(self, name, text):
        path = os.path.join(self.processes.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def memcached(self, port):
        self.processes.start([program("memcached"), "-u", "root", "-l", "127.0.0.1", "-p", str(port), "-m", "64"], port)
        return self.processes.started[-1]

    def redis(self, port):
        self.processes.start([program("redis-server"), "--port", str(port), "--save", "", "--bind", "127.0.0.1", "--dir",
                              self.processes.folder], port)
        return self.processes.started[-1]

    def router(self, config, port):
        self.processes.start([ARCWISED, "--config", config], port)
        return self.processes.started[-1]

    def one_pool(self, servers, redis=False, **settings):
        """The router before so many servers; its port, and theirs."""
        ports = free_ports(servers + 1)
        self.started = [(self.redis if redis else self.memcached)(port) for port in ports[1:]]
        if redis:
            settings["redis"] = "true"
        listed = [(port, 1, f"s{i}") for i, port in enumerate(ports[1:])]
        settings = {"hash": "fnv1a_64", "distribution": "ketama", "timeout": 400, **settings}
        self.process = self.router(self.write("pool.yml", pool("cache", ports[0], listed, **settings)), ports[0])
        return ports[0], ports[1:]


class BesideNutcracker(RouterTest):
    def test_every_key_lands_on_the_same_server(self):
        count = 2 * (len(HASHES) * 2 + 1)
        ports = free_ports(2 * count + 9)
        memcached, redis, stats = ports[:4], ports[4:8], ports[8]
        for port in memcached:
            self.memcached(port)
        for port in redis:
            self.redis(port)
        pools, ours, theirs = [], "", ""
        at = 9
        for is_redis in (False, True):
            servers = [(port, i % 3 + 1, f"server{i}") for i, port in enumerate(redis if is_redis else memcached)]
            cases = [(d, h, {}, 150) for d in ("ketama", "modula") for h in HASHES] + [("ketama", "fnv1a_64", {"hash_tag": '"{}"'}, 5000)]
            for number, (distribution, name, more, keys) in enumerate(cases):
                settings = {"hash": name, "distribution": distribution, "timeout": 5000, **more}
                if is_redis:
                    settings["redis"] = "true"
                label = f"{'r' if is_redis else 'm'}{number}"
                ours += pool(label, ports[at], servers, **settings)
                theirs += pool(label, ports[at + 1], servers, **settings)
                pools.append((is_redis, label, ports[at], ports[at + 1], keys))
                at += 2
        self.router(self.write("ours.yml", ours), pools[-1][2])
        self.processes.start([program("nutcracker"), "-c", self.write("theirs.yml", theirs), "-s", str(stats)], pools[-1][3])
        for is_redis, label, our, their, count in pools:
            keys = [f"{label}:{{user{i % 97}}}:{i * 7919}" for i in range(count)]
            self.assertEqual(self.hits(is_redis, our, their, keys), count, label)

    def hits(self, is_redis, our, their, keys):
        """How many of the keys that nutcracker has stored the router finds."""
        writer, reader = Connection(their), Connection(our)
        self.addCleanup(writer.close)
        self.addCleanup(reader.close)
        found = 0
        for at in range(0, len(keys), 100):
            part = keys[at:at + 100]
            writer.say("".join(redis_command("SET", k, "1") if is_redis else f"set {k} 0 0 1\r\n1\r\n" for k in part))
            self.assertEqual(set(writer.lines(len(part))), {"+OK" if is_redis else "STORED"})
            reader.say("".join(redis_command("GET", k) if is_redis else f"get {k}\r\n" for k in part))
            for key in part:
                first = reader.line()
                if is_redis and first == "$1" or first == f"VALUE {key} 0 1":
                    found += 1
                    reader.lines(1 if is_redis else 2)
        return found


class Memcached(RouterTest):
    def test_commands_are_answered_in_order_and_in_memcacheds_words(self):
        port, _ = self.one_pool(3)
        client = Connection(port)
        self.addCleanup(client.close)

        def check(said, *expected):
            client.say(said)
            self.assertEqual(client.lines(len(expected)), list(expected), said)

        check("set a 0 0 1\r\n1\r\nset b 7 0 1\r\n2\r\nset c 0 0 1\r\n3\r\n", "STORED", "STORED", "STORED")
        check("get a b nope c\r\n", "VALUE a 0 1", "1", "VALUE b 7 1", "2", "VALUE c 0 1", "3", "END")
        check("mg a v\r\nmg nope v\r\nmn\r\n", "VA 1", "1", "EN", "MN")
        check("mg nope v q\r\nms d 2 q\r\nhi\r\nmd d q\r\nmn\r\n", "MN")
        check("bogus x\r\nget b\r\n", "ERROR", "VALUE b 7 1", "2", "END")
        check("get " + "k" * 250 + "\r\nget " + "k" * 251 + "\r\nget b\r\n", "END",
              "CLIENT_ERROR bad command line format", "VALUE b 7 1", "2", "END")
        check("set n 0 0 1 noreply\r\n9\r\nincr n 1\r\ndecr n 5\r\nincr nope 1\r\n", "10", "5", "NOT_FOUND")
        check("add a 0 0 1\r\nx\r\nreplace a 0 0 1\r\n5\r\nappend a 0 0 1\r\n6\r\nprepend a 0 0 1\r\n4\r\nget a\r\n", "NOT_STORED",
              "STORED", "STORED", "STORED", "VALUE a 0 3", "456", "END")
        check("touch a 100\r\ntouch nope 1\r\ngat 100 a c\r\n", "TOUCHED", "NOT_FOUND", "VALUE a 0 3", "456", "VALUE c 0 1", "3", "END")
        check("delete a\r\ndelete a\r\nget a\r\n", "DELETED", "NOT_FOUND", "END")
        unique = client.say("gets b\r\n").lines(3)[0].split()[4]
        check(f"cas b 0 0 1 {unique}\r\n9\r\ncas b 0 0 1 {unique}\r\n8\r\n", "STORED", "EXISTS")
        check("set big 0 0 2000000\r\n" + "x" * 2000000 + "\r\nget b\r\n", "SERVER_ERROR object too large for cache", "VALUE b 0 1", "9",
              "END")
        check("flush_all\r\nget b c\r\nverbosity 1\r\n", "OK", "END", "OK")

    def test_ten_thousand_keys_in_one_get(self):
        port, _ = self.one_pool(3)
        client = Connection(port)
        self.addCleanup(client.close)
        client.say("".join(f"set key{i} 0 0 1 noreply\r\n1\r\n" for i in range(0, 10000, 2)))
        client.say("get" + "".join(f" key{i}" for i in range(10000)) + "\r\n")
        names = []
        while (line := client.line()) != "END":
            names.append(line.split()[1])
            client.line()
        self.assertEqual(names, [f"key{i}" for i in range(0, 10000, 2)])


class Redis(RouterTest):
    def test_commands_go_to_the_owners_of_their_keys(self):
        port, _ = self.one_pool(3, redis=True, hash_tag='"{}"')
        client = Connection(port)
        self.addCleanup(client.close)

        def check(said, *expected):
            client.say(said)
            self.assertEqual(client.lines(len(expected)), list(expected), said)

        check("MSET a 1 b 2 c 3 d 4\r\n", "+OK")
        check("MGET a nope b c d\r\n", "*5", "$1", "1", "$-1", "$1", "2", "$1", "3", "$1", "4")
        check("EXISTS a b nope\r\nDEL a b nope\r\nDBSIZE\r\n", ":2", ":2", ":2")
        check("SADD {t}a x y\r\nSADD {t}b y z\r\nSUNION {t}a {t}b\r\n", ":2", ":2", "*3")
        self.assertEqual(sorted(client.lines(6)), ["$1", "$1", "$1", "x", "y", "z"])
        client.say("SUNION " + " ".join(f"{i * 7919}:user" for i in range(20)) + "\r\n")
        self.assertRegex(client.line(), r"^-CROSSSLOT .*'0:user' and '\d+:user'$")
        check("EVAL 'return redis.call(\"GET\",KEYS[1])' 1 c\r\n", "$1", "3")
        check("SUBSCRIBE x\r\nNOPE\r\nGET\r\nGET c\r\n", "-ERR 'subscribe' is not routed: it belongs to no single key",
              "-ERR unknown command 'NOPE'", "-ERR wrong number of arguments for 'get' command", "$1", "3")
        check("MULTI\r\nSET {x}1 a\r\nSET {x}2 b\r\nGET {x}1\r\nEXEC\r\nGET {x}2\r\n", "+OK", "+QUEUED", "+QUEUED", "+QUEUED", "*3",
              "+OK", "+OK", "$1", "a", "$1", "b")
        client.say("MULTI\r\n" + "".join(f"SET {i * 7919}:user 1\r\n" for i in range(20)) + "EXEC\r\n")
        said = client.lines(22)
        self.assertIn("-CROSSSLOT Keys of a transaction must belong to one node", said)
        self.assertEqual(said[-1], "-EXECABORT Transaction discarded because of previous errors.")
        check("EXEC\r\nMULTI\r\nMULTI\r\nDISCARD\r\nMULTI\r\nEXEC\r\n", "-ERR EXEC without MULTI", "+OK",
              "-ERR MULTI calls can not be nested", "+OK", "+OK", "*0")
        check("SET c x\r\nINCR c\r\nPING\r\nECHO hi\r\n", "+OK", "-ERR value is not an integer or out of range", "+PONG", "$2", "hi")
        check("FLUSHALL\r\nDBSIZE\r\nQUIT\r\n", "+OK", ":0", "+OK")
        self.assertEqual(client.line(), "")

    def test_redis_cli_and_redis_benchmark_work_through_it(self):
        port, _ = self.one_pool(2, redis=True)
        cli = [program("redis-cli"), "-p", str(port)]
        self.assertEqual(subprocess.run(cli + ["SET", "k", "v"], capture_output=True, text=True, check=True).stdout, "OK\n")
        self.assertEqual(subprocess.run(cli + ["GET", "k"], capture_output=True, text=True, check=True).stdout, "v\n")
        done = subprocess.run([program("redis-benchmark"), "-p", str(port), "-n", "2000", "-t", "set,get,incr,lpush,mset", "-r", "1000",
                               "-P", "8", "-q"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.count("requests per second"), 5, done.stdout + done.stderr)


class Clients(RouterTest):
    def test_pymemcache_and_redis_py_work_through_it(self):
        import pymemcache  # pylint: disable=import-outside-toplevel
        import redis  # pylint: disable=import-outside-toplevel
        port, _ = self.one_pool(2)
        client = pymemcache.Client(("127.0.0.1", port), timeout=10)
        client.set_many({f"k{i}": str(i) for i in range(50)})
        self.assertEqual(len(client.get_many([f"k{i}" for i in range(60)])), 50)
        self.assertEqual(client.incr("k5", 3), 8)
        value, unique = client.gets("k6")
        self.assertEqual((value, client.cas("k6", "x", unique)), (b"6", True))
        client.close()
        self.processes.__exit__()
        self.processes = Processes().__enter__()
        port, _ = self.one_pool(2, redis=True)
        store = redis.Redis(port=port)
        store.mset({f"k{i}": i for i in range(50)})
        self.assertEqual(store.mget([f"k{i}" for i in range(50)]), [str(i).encode() for i in range(50)])
        with store.pipeline(transaction=False) as pipe:
            for i in range(100):
                pipe.hset(f"h{i}", "f", i)
            self.assertEqual(sum(pipe.execute()), 100)
        self.assertEqual(store.delete(*[f"k{i}" for i in range(50)]), 50)
        store.close()

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

    def test_term_ends_it_when_what_is_under_way_is_answered(self):
        port, _ = self.one_pool(2)
        client = Connection(port)
        self.addCleanup(client.close)
        client.say("set a 0 0 1\r\n1\r\n" * 1000)
        self.assertEqual(client.line(), "STORED")
        self.process.terminate()
        self.assertEqual(self.process.wait(timeout=10), 0)

    def test_a_configuration_that_says_something_wrong_ends_it_with_2(self):
        for text, expected in (("cache:\n  servers:\n   - 127.0.0.1:1:1\n", "no address to listen on"),
                               ("cache:\n  listen: 127.0.0.1:1\n  hash: nope\n  servers:\n   - 127.0.0.1:1:1\n", "no such hash")):
            done = subprocess.run([ARCWISED, "--config", self.write("bad.yml", text), "--check"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
        done = subprocess.run([ARCWISED], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)


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
