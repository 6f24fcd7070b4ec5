#!/usr/bin/env python3
"""The router before real servers: what clients get, and how it begins and ends."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from router import ARCWISED, Connection, RouterTest  # noqa: E402


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

    def test_no_command_of_one_client_gets_anothers_answers_out_of_step(self):
        port, _ = self.one_pool(1)
        other = Connection(port)
        self.addCleanup(other.close)
        other.say("".join(f"set k{i} 0 0 3\r\nv{i:02}\r\n" for i in range(20)))
        self.assertEqual(other.lines(20), ["STORED"] * 20)
        for said in ("mg zzz v q1", "md zzz q qq", "ms zz 2 q3 T5\r\nhi", "mg k1 v k q2", "incr x 1 noreply noreply",
                     "delete x noreply noreply", "touch x 1 noreply noreply", "flush_all 1000 noreply noreply",
                     "set zz 0 0 2 noreply noreply\r\nhi", "set z\0z 0 0 9\r\nversion\r\n", "incr zz " + "1" * 100000,
                     "flush_all " + "1" * 100000 + " noreply", "ms zz 2 " + "I " * 40 + "\r\nhi"):
            client = Connection(port)
            self.addCleanup(client.close)
            client.say(said + "\r\nmn\r\n")
            while client.line() != "MN":
                pass
            for i in range(20):
                self.assertEqual(other.say(f"get k{i}\r\n").lines(3), [f"VALUE k{i} 0 3", f"v{i:02}", "END"], said[:40])

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
        check("SUBSCRIBE x\r\nNOPE\r\nGET\r\nGET c\r\n", "-ERR 'subscribe' is not routed: what is published has no owner; ask a server itself",
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


class MemcachedWithoutARing(Memcached):
    options = ("--set", "io=epoll")


class RedisWithoutARing(Redis):
    options = ("--set", "io=epoll")


class Program(RouterTest):
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


if __name__ == "__main__":
    unittest.main()
