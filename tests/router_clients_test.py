#!/usr/bin/env python3
"""Clients as they are, through the router: what they say when they begin, how they pipeline, and all that they can do."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import Connection, RouterTest  # noqa: E402
from servers import program, wait_until  # noqa: E402

SOURCE = os.environ.get("ARCWISE_SOURCE") or os.getcwd()
PROGRAMS = os.path.join(SOURCE, "tests/support/clients")
NODE_MODULES = os.path.join(SOURCE, "build-test/npm/node_modules")


class Clients(RouterTest):
    def run_client(self, *command, said=None, **options):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
        if said is not None:
            self.assertEqual(done.stdout, said, done.stderr)
        return done.stdout

    def compiled(self, name, *libraries):
        target = os.path.join(self.processes.folder, name)
        self.run_client(program("cc"), "-O1", "-o", target, os.path.join(PROGRAMS, name + ".c"), *libraries)
        return target

    def node(self, name, *arguments):
        module = name.split(".")[0]
        if not os.path.isdir(os.path.join(NODE_MODULES, module)):
            raise AssertionError(f"npm {module} is not installed: `./dev test` does it, by `npm ci` in build-test/npm")
        self.run_client(program("node"), os.path.join(PROGRAMS, name), *arguments, said="fine\n", env={**os.environ, "NODE_PATH": NODE_MODULES})


class MemcachedClients(Clients):
    def test_pymemcache(self):
        import pymemcache  # pylint: disable=import-outside-toplevel
        port, _ = self.one_pool(3)
        client = pymemcache.Client(("127.0.0.1", port), timeout=10, default_noreply=False)
        self.assertEqual(client.set_many({f"k{i}": str(i) for i in range(50)}), [])
        self.assertEqual(client.get_many([f"k{i}" for i in range(60)]), {f"k{i}": str(i).encode() for i in range(50)})
        self.assertEqual((client.incr("k5", 3), client.decr("k5", 1)), (8, 7))
        value, unique = client.gets("k6")
        self.assertEqual((value, client.cas("k6", "x", unique), client.cas("k6", "y", unique)), (b"6", True, False))
        self.assertEqual(set(client.gets_many(["k1", "k2"])), {"k1", "k2"})
        self.assertEqual((client.add("k1", "x"), client.replace("k1", "z"), client.append("k1", "!"), client.prepend("k1", "?")), (False, True, True, True))
        self.assertEqual((client.get("k1"), client.touch("k1", 100), client.delete("k1"), client.get("k1")), (b"?z!", True, True, None))
        self.assertEqual(client.set("quiet", "q", noreply=True), True)
        self.assertEqual(client.get("quiet"), b"q")
        self.assertEqual(client.version()[:3], b"1.6")
        self.assertGreater(client.stats()[b"requests"], 0)
        self.assertTrue(client.flush_all())
        self.assertIsNone(client.get("k2"))
        client.quit()

    def test_libmemcached_and_its_tools(self):
        port, _ = self.one_pool(3)
        self.run_client(self.compiled("libmemcached", "-lmemcached"), "127.0.0.1", str(port), said="fine\n")
        servers = f"--servers=127.0.0.1:{port}"
        files = [self.write(f"file{i}", f"text of {i}\n") for i in range(5)]
        self.run_client(program("memccp"), servers, *files)
        self.run_client(program("memccat"), servers, *[os.path.basename(file) for file in files], said="".join(f"text of {i}\n\n" for i in range(5)))
        self.run_client(program("memcexist"), servers, "file1")
        self.run_client(program("memcrm"), servers, "file1")
        self.run_client(program("memcping"), servers)
        self.run_client(program("memcflush"), servers)
        self.assertNotEqual(subprocess.run([program("memccat"), servers, "file2"], capture_output=True, check=False).stdout, b"text of 2\n")
        self.assertIn("requests", self.run_client(program("memcstat"), servers))

    def test_npm_memcached(self):
        port, _ = self.one_pool(3)
        self.node("memcached.js", str(port))


class RedisClients(Clients):
    def redis_pool(self, **settings):
        return self.one_pool(3, redis=True, hash_tag='"{}"', **settings)[0]

    def test_redis_py(self):
        import redis  # pylint: disable=import-outside-toplevel
        client = redis.Redis(port=self.redis_pool(), decode_responses=True, client_name="shop")
        names = [f"k{i}" for i in range(50)]
        self.assertTrue(client.mset({name: i for i, name in enumerate(names)}))
        self.assertEqual(client.mget(names), [str(i) for i in range(50)])
        with client.pipeline(transaction=False) as pipe:
            for i in range(100):
                pipe.hset(f"h{i}", "f", i)
            self.assertEqual(sum(pipe.execute()), 100)
        with client.pipeline() as pipe:
            self.assertEqual(pipe.set("{x}1", "a").incr("{x}2").get("{x}1").execute(), [True, 1, "a"])

        def raise_by_one(pipe):
            value = int(pipe.get("n") or 0)
            pipe.multi()
            pipe.set("n", value + 1)

        for _ in range(5):
            client.transaction(raise_by_one, "n")
        self.assertEqual(client.get("n"), "5")
        with client.pipeline() as pipe:
            pipe.watch("n")
            client.set("n", "other")
            pipe.multi()
            pipe.set("n", "mine")
            self.assertRaises(redis.WatchError, pipe.execute)
        self.assertEqual(sorted(client.scan_iter("k*")), sorted(names))
        self.assertEqual(sorted(client.keys("h1?")), [f"h1{i}" for i in range(10)])
        script = client.register_script("return redis.call('GET',KEYS[1]) .. ARGV[1]")
        self.assertEqual(script(keys=["k7"], args=["!"]), "7!")
        self.assertEqual(client.dbsize(), 50 + 100 + 2 + 1)
        self.assertEqual(client.client_getname(), "shop")
        self.assertIn("redis_version", client.info())
        self.assertEqual(client.command_getkeys("MSET", "a", "1", "b", "2"), ["a", "b"])
        self.assertIn("get", client.command())
        with client.lock("lock", timeout=10):
            self.assertFalse(client.lock("lock", blocking=False).acquire())
        self.assertRaises(redis.ResponseError, client.blpop, "k1", 1)
        self.assertEqual(client.delete(*names), 50)
        self.assertTrue(client.flushall())
        client.close()

    def test_redis_cli(self):
        cli = [program("redis-cli"), "-p", str(self.redis_pool())]
        self.run_client(*cli, "SET", "k", "v", said="OK\n")
        self.run_client(*cli, "-3", "HSET", "h", "f", "v", said="1\n")
        self.run_client(*cli, "-3", "--json", "HGETALL", "h", said='{"f":"v"}\n')
        self.run_client(*cli, "--scan", "--pattern", "k*", said="k\n")
        self.run_client(*cli, "--no-auth-warning", "PING", said="PONG\n")
        self.run_client(*cli, input="MULTI\nSET a 1\nINCR a\nEXEC\n", said="OK\nQUEUED\nQUEUED\nOK\n2\n")
        piped = self.run_client(*cli, "--pipe", input="".join(f"SET p{i} {i}\r\n" for i in range(5000)))
        self.assertIn("errors: 0, replies: 5000", piped)
        self.assertIn("Sampled", self.run_client(*cli, "--bigkeys"))

    def test_redis_benchmark(self):
        port = self.redis_pool()
        for more in ((), ("-3",)):
            done = self.run_client(program("redis-benchmark"), "-p", str(port), "-n", "2000", "-t",
                                   "ping,set,get,incr,lpush,rpop,sadd,hset,zadd,lrange_100,mset", "-r", "1000", "-P", "8", "-q", *more)
            self.assertGreaterEqual(done.count("requests per second"), 12, done)
            self.assertNotIn("ERR", done)

    def test_hiredis(self):
        self.run_client(self.compiled("hiredis", "-lhiredis"), "127.0.0.1", str(self.redis_pool()), said="fine\n")

    def test_ioredis(self):
        self.node("ioredis.js", str(self.redis_pool()))

    def refused(self):
        """What a client is told where the servers want another password."""
        port, servers = self.one_pool(1, redis=True, redis_auth="secret")
        direct = Connection(servers[0])
        self.assertEqual(direct.say("CONFIG SET requirepass other\r\n").line(), "+OK")
        direct.close()
        client = Connection(port)
        said = client.say("AUTH secret\r\nHELLO 3\r\nGET a\r\n")
        while not (line := said.line()).startswith("-"):
            pass
        client.close()
        return line

    def test_a_password_is_asked_of_clients_and_told_to_servers(self):
        import redis  # pylint: disable=import-outside-toplevel
        port, servers = self.one_pool(2, redis=True, redis_auth="secret")
        for server in servers:
            direct = Connection(server)
            self.assertEqual(direct.say("CONFIG SET requirepass secret\r\n").line(), "+OK")
            direct.close()
        self.assertRaises(redis.AuthenticationError, redis.Redis(port=port).ping)
        self.assertRaises(redis.ResponseError, redis.Redis(port=port, password="other").ping)
        client = redis.Redis(port=port, password="secret")

        def accepted():  # until then the servers had no password, and refused one
            try:
                return client.set("k", "v") and client.set("key", "v") and client.mset({f"k{i}": i for i in range(20)})
            except redis.ResponseError:
                return False
        wait_until(accepted, "the servers take the password")
        self.assertEqual(client.get("k"), b"v")
        client.close()
        self.node("ioredis.js", str(port), "secret")
        cli = [program("redis-cli"), "-p", str(port), "-3", "--no-auth-warning", "-a", "secret"]
        self.run_client(*cli, "GET", "k", said="\n")
        self.assertRegex(self.refused(), "^-ERR s0: it refused: (WRONGPASS|ERR AUTH)")


if __name__ == "__main__":
    unittest.main()
