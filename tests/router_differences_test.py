#!/usr/bin/env python3
"""What docs/router.md says of where the router differs from the servers: each is asked of a server, and of the router before another."""
import os
import socket
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import RouterTest, pool, redis_command  # noqa: E402
from servers import connection, free_ports  # noqa: E402

LONG = "k" * 251
BAD, BAD_TOKEN = "CLIENT_ERROR bad command line format\r\n", "CLIENT_ERROR bad token in command line format\r\n"
EXECABORT = "-EXECABORT Transaction discarded because of previous errors.\r\n"


def heard(place, text, ends, seconds=20):
    """What comes for these bytes until that ends, or the connection does."""
    client = connection(place, seconds)
    client.sendall(text if isinstance(text, bytes) else text.encode())
    said = b""
    try:
        while not ends(said.decode("latin-1")):
            part = client.recv(65536)
            if not part:
                said += b"(ended)"
                break
            said += part
    except socket.timeout:
        pass
    client.close()
    return said.decode("latin-1")


def holds(expected, said):
    return said == expected if isinstance(expected, str) else expected(said)


class Differences:
    def answer(self, place, text):
        """Behind it something is asked that has an answer of its own."""
        said = heard(place, text + self.last, lambda said: said.endswith(self.last_answer))
        return said.removesuffix(self.last_answer)

    def differ(self, text, server, router):
        for place, expected in ((self.direct, server), (self.port, router)):
            said = self.answer(place, self.asked(text))
            self.assertTrue(holds(expected, said), (text[:80], place == self.port, said[:200]))

    def differ_without_end(self, text, server, router):
        """Where nothing can be asked behind it. Silence is what is not broken for a while."""
        for place, expected in ((self.direct, server), (self.port, router)):
            seconds = 0.3 if expected == "" else 20
            said = heard(place, self.asked(text), lambda said, expected=expected: expected != "" and holds(expected, said), seconds)
            self.assertTrue(holds(expected, said), (text[:80], place == self.port, said[:200]))


class Memcached(Differences, RouterTest):
    last, last_answer = "md nothing Olast\r\n", "NF Olast\r\n"

    @staticmethod
    def asked(text):
        return text

    def setUp(self):
        super().setUp()
        self.direct, behind, self.port = free_ports(3)
        for place in (self.direct, behind):
            self.memcached(place)
        self.router(self.write("p.yml", pool("cache", self.port, [(behind, 1, "a")])), self.port)

    def test_flags_beyond_32_bits(self):
        self.differ("set k 4294967295 0 1\r\n1\r\nset k 4294967297 0 1\r\n2\r\nget k\r\n",
                    "STORED\r\nSTORED\r\nVALUE k 1 1\r\n2\r\nEND\r\n", f"STORED\r\n{BAD}VALUE k 4294967295 1\r\n1\r\nEND\r\n")

    def test_the_value_of_a_refused_set_is_passed_over(self):
        for command in (f"set {LONG} 0 0 2", "set k x 0 2", "set k 0 x 2", "cas k 0 0 2 x"):
            self.differ(command + "\r\nmn\r\nmn\r\n", BAD + "MN\r\nMN\r\n", BAD + "MN\r\n")
        for command in ("set k x 0 2 noreply", "set k 0 x 2 noreply"):
            self.differ(command + "\r\nmn\r\nmn\r\n", "MN\r\nMN\r\n", "MN\r\n")
        # Of these both know no length.
        for command in ("set k 0 0 x", "set k 0 0 -1"):
            self.differ(command + "\r\nmn\r\n", BAD + "MN\r\n", BAD + "MN\r\n")

    def test_answers_before_a_key_that_is_too_long(self):
        self.differ(f"set k 0 0 1\r\n1\r\nget k {LONG}\r\nmn\r\n", BAD + "MN\r\n", f"STORED\r\n{BAD}MN\r\n")

    def test_words_of_meta_commands(self):
        self.differ("ma new N0 q\r\nmn\r\n", "HD\r\nMN\r\n", "MN\r\n")
        self.differ("set k 0 0 1\r\n1\r\nmg k T+5\r\n", "STORED\r\nHD\r\n", "STORED\r\n" + BAD_TOKEN)

    def test_lines_without_an_end_and_the_binary_protocol(self):
        self.differ_without_end("a" * 3000, "(ended)", "")
        self.differ_without_end(b"\x80\x0b" + bytes(22), lambda said: "1.6.18" in said, "")

    def test_what_is_of_one_server(self):
        self.differ("set k 0 0 1\r\n1\r\nstats\r\n", lambda said: "STAT pid " in said,
                    lambda said: "STAT backend_requests " in said and "STAT pid " not in said)
        for what in ("items", "slabs", "settings"):
            self.differ(f"stats {what}\r\n", lambda said: said.startswith("STAT "), "END\r\n")
        self.differ("stats conns\r\n", lambda said: said.startswith("STAT "), "ERROR\r\n")
        self.differ_without_end("watch\r\n", "OK\r\n", "ERROR\r\n")
        for command in ("stats detail on", "slabs automove 0", "lru mode flat", "cache_memlimit 64"):
            self.differ(command + "\r\n", "OK\r\n", "ERROR\r\n")
        for command in ("shutdown", "refresh_certs"):
            self.differ(command + "\r\n", lambda said: said != "ERROR\r\n", "ERROR\r\n")
        self.differ("lru_crawler enable\r\n", lambda said: said in ("OK\r\n", "ERROR failed to start lru crawler thread\r\n"), "ERROR\r\n")

    def test_what_does_not_differ(self):
        for text in ("gat x k\r\n", "gat 99999999999999999999 k\r\n", "gat 5\r\n", f"gat 1 {LONG}\r\n", f"delete {LONG}\r\n", f"delete {LONG} 0\r\n",
                     "delete k 5\r\n", f"delete {LONG} noreply\r\nmn\r\n", "incr k x noreply\r\nmn\r\n", "touch k x noreply\r\nmn\r\n",
                     "set k 0 0 x noreply\r\nab\r\nmn\r\n", "me nope\r\n", "ms k 1 F4294967297\r\n1\r\nmg k f\r\n"):
            self.assertEqual(self.answer(self.port, text), self.answer(self.direct, text), text)


class Redis(Differences, RouterTest):
    last, last_answer = redis_command("ECHO", "last answer"), "$11\r\nlast answer\r\n"

    @staticmethod
    def asked(text):
        return "".join(redis_command(*words.split()) for words in text.split("|"))

    def setUp(self):
        super().setUp()
        self.direct, *servers, self.port = free_ports(4)
        for place in (self.direct, *servers):
            self.redis(place)
        self.router(self.write("p.yml", pool("cache", self.port, [(port, 1, f"s{i}") for i, port in enumerate(servers)], redis="true",
                                             hash_tag='"{}"')), self.port)

    @staticmethod
    def not_routed(said):
        return said.startswith("-ERR ") and " routed" in said

    @staticmethod
    def done(said):
        return not said.startswith("-ERR '") and "routed" not in said

    def test_an_unknown_command(self):
        self.differ("NOPE a b", "-ERR unknown command 'NOPE', with args beginning with: 'a' 'b' \r\n", "-ERR unknown command 'NOPE'\r\n")

    def test_in_a_transaction_what_belongs_to_no_single_key_is_refused(self):
        for command in ("DBSIZE", "SELECT 0", "SCAN 0", "KEYS *", "RANDOMKEY", "INFO", "CLIENT ID", "CONFIG GET save", "HELLO 2", "AUTH x",
                        "FLUSHALL", "SCRIPT FLUSH"):
            self.differ(f"MULTI|{command}|EXEC", lambda said: said.startswith("+OK\r\n+QUEUED\r\n*1\r\n"),
                        lambda said: said.startswith("+OK\r\n-ERR '") and said.endswith(EXECABORT))
        for command in ("PING", "ECHO a", "TIME"):
            self.differ(f"MULTI|{command}|EXEC", *[lambda said: said.startswith("+OK\r\n+QUEUED\r\n*1\r\n")] * 2)

    def test_other_databases(self):
        self.differ("SELECT 1", "+OK\r\n", lambda said: said.startswith("-ERR DB index is out of range"))
        self.differ("SWAPDB 0 1", "+OK\r\n", self.not_routed)

    def test_keys_of_several_nodes(self):
        keys = " ".join(f"{i * 7919}key" for i in range(20))
        for text in (f"SINTER {keys}", f"WATCH {keys}", f"MULTI|MGET {keys}|EXEC"):
            self.differ(text, lambda said: "CROSSSLOT" not in said, lambda said: "-CROSSSLOT " in said)

    def test_a_script_that_names_a_key_by_itself(self):
        found = []
        for i in range(20):
            key = f"{i * 7919}key"
            text = redis_command("SET", key, "v") + redis_command("EVAL", f"return redis.call('GET','{key}')", "0")
            self.assertEqual(self.answer(self.direct, text), "+OK\r\n$1\r\nv\r\n")
            found.append(self.answer(self.port, text))
        self.assertEqual(set(found), {"+OK\r\n$1\r\nv\r\n", "+OK\r\n$-1\r\n"}, "the first node's, and others'")

    def test_cursors_and_long_commands(self):
        self.differ("SCAN 5", "*2\r\n$1\r\n0\r\n*0\r\n", "-ERR invalid cursor\r\n")
        for words, place in ((1048577, self.direct), (1048576, self.port)):
            self.assertEqual(heard(place, f"*{words}\r\n", bool, 0.3), "")
        self.assertRegex(heard(self.port, "*1048577\r\n", lambda said: "(ended)" in said), r"^-ERR Protocol error: .*\r\n\(ended\)$")

    def test_what_is_of_one_server(self):
        self.differ("INFO", lambda said: "tcp_port:" in said, lambda said: "server_name:arcwised" in said and "redis_version:7.0.0" in said)
        self.differ("CLIENT LIST", lambda said: "addr=" in said, lambda said: "id=" in said and "addr=" not in said)
        self.differ("HELLO", lambda said: "7.0.0" not in said, lambda said: "7.0.0" in said and "master" in said)
        for command in ("CONFIG GET maxmemory", "CONFIG SET maxmemory 0", "ROLE", "WAIT 0 0", "SLOWLOG GET", "LATENCY LATEST", "MEMORY STATS",
                        "SAVE", "ACL LIST", "CLIENT KILL ID 999", "PUBLISH a b", "XREAD BLOCK 1 STREAMS nope 0", "CLIENT TRACKING ON"):
            self.differ(command, self.done, self.not_routed)
        for command, server in (("SUBSCRIBE a", "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"), ("MONITOR", "+OK\r\n"), ("BLPOP nope 0", ""),
                                ("CLIENT REPLY OFF", "")):
            self.differ_without_end(command, server, self.not_routed)


if __name__ == "__main__":
    unittest.main()
