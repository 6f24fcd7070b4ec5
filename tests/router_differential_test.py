#!/usr/bin/env python3
"""The same commands to the router and to a server itself have the same answers."""
import base64
import os
import random
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
from resp import Failure, Map, Nil, Resp, Set  # noqa: E402
from router import Connection, RouterTest, pool  # noqa: E402
from servers import free_ports  # noqa: E402

SOURCE = os.environ.get("ARCWISE_SOURCE") or os.getcwd()

# Every command of one key's owner, in streams that leave no key behind which another needs. Each is run on fresh servers.
REDIS_STREAM = r"""
SET a 1|SET a 2 GET|SETNX a 3|SETEX b 1000 x|PSETEX c 1000000 y|GET a|GETSET a 4|GETEX b PERSIST|GETDEL c|GETRANGE b 0 -1|SUBSTR b 0 0
STRLEN b|APPEND b yz|SETRANGE b 1 Q|INCR a|INCRBY a 10|INCRBYFLOAT a 1.5|DECR n|DECRBY n 5|INCR b|SETBIT bits 7 1|GETBIT bits 7
BITCOUNT bits|BITCOUNT bits 0 -1 BIT|BITPOS bits 1|BITFIELD bits SET u8 0 255 GET u4 0|BITFIELD_RO bits GET u8 0|BITOP NOT {a}x bits
BITOP AND {bits}x bits|MSET {t}1 a {t}2 b|MGET {t}1 {t}2 {t}3|MSETNX {t}2 c {t}3 d|LCS {t}1 {t}2|LCS {t}1 {t}2 LEN|DEL {t}1
UNLINK {t}2|EXISTS a b nope|TOUCH a nope|TYPE a|TYPE nope|EXPIRE a 100000|EXPIREAT a 4102444800|EXPIRETIME a|PEXPIREAT a 4102444800000
PEXPIRETIME a|PEXPIRE a 100000000|PERSIST a|TTL a|PTTL a|TTL nope|COPY a {a}2|RENAME {a}2 {a}3|RENAMENX {a}3 {a}4|DUMP nope
OBJECT ENCODING a|OBJECT REFCOUNT b|OBJECT IDLETIME nope|OBJECT FREQ a|OBJECT NOPE a|MEMORY USAGE nope|RESTORE r 0 x|MOVE nope 1
RPUSH l a b c|LPUSH l z|LPUSHX l y|RPUSHX nope x|LLEN l|LRANGE l 0 -1|LINDEX l 1|LSET l 0 Y|LINSERT l BEFORE a A|LPOS l a|LREM l 1 b
LTRIM l 0 3|LPOP l|RPOP l 2|LMOVE l {l}2 LEFT RIGHT|RPOPLPUSH {l}2 l|LMPOP 2 l {l}2 LEFT COUNT 1|LPOP nope 2|SORT l ALPHA
SORT l ALPHA STORE {l}3|SORT_RO l ALPHA|HSET h f 1 g 2|HSETNX h f 3|HMSET h i 3|HGET h f|HMGET h f nope|HGETALL h|HKEYS h|HVALS h
HLEN h|HEXISTS h f|HSTRLEN h f|HINCRBY h f 5|HINCRBYFLOAT h f 0.5|HDEL h g|HSCAN h 0|HRANDFIELD one 1|HRANDFIELD nope
SADD s 1 2 3|SADD {s}2 2 3 4|SCARD s|SISMEMBER s 1|SMISMEMBER s 1 9|SMEMBERS s|SINTER s {s}2|SINTERCARD 2 s {s}2|SUNION s {s}2
SDIFF s {s}2|SINTERSTORE {s}3 s {s}2|SUNIONSTORE {s}4 s {s}2|SDIFFSTORE {s}5 s {s}2|SMOVE s {s}2 1|SREM s 2|SSCAN {s}2 0|SPOP nope
SRANDMEMBER nope|ZADD z 1 a 2 b 3 c|ZADD {z}2 5 b 6 d|ZADD z INCR 1 a|ZCARD z|ZCOUNT z -inf +inf|ZINCRBY z 2.5 b|ZRANGE z 0 -1
ZRANGE z 0 -1 WITHSCORES|ZREVRANGE z 0 -1 WITHSCORES|ZRANGEBYSCORE z 0 10 WITHSCORES|ZREVRANGEBYSCORE z 10 0|ZRANGEBYLEX z - +
ZREVRANGEBYLEX z + -|ZLEXCOUNT z - +|ZRANK z a|ZREVRANK z a|ZRANK z nope|ZSCORE z a|ZSCORE z nope|ZMSCORE z a nope
ZUNION 2 z {z}2 WITHSCORES|ZINTER 2 z {z}2 WITHSCORES|ZDIFF 2 z {z}2 WITHSCORES|ZINTERCARD 2 z {z}2|ZUNIONSTORE {z}3 2 z {z}2
ZINTERSTORE {z}4 2 z {z}2 WEIGHTS 2 3|ZDIFFSTORE {z}5 2 z {z}2|ZRANGESTORE {z}6 z 0 -1|ZSCAN z 0|ZPOPMIN {z}3|ZPOPMAX {z}3 2
ZMPOP 2 {z}3 {z}4 MIN|ZREM z a|ZREMRANGEBYSCORE {z}6 0 1|ZREMRANGEBYRANK {z}6 0 0|ZREMRANGEBYLEX {z}6 - +|ZRANDMEMBER nope
ZRANDMEMBER nope 2|PFADD p a b|PFADD {p}2 c|PFCOUNT p {p}2|PFMERGE {p}3 p {p}2|GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
GEODIST g Palermo Catania|GEOHASH g Palermo nope|GEOPOS g Palermo nope|GEORADIUS g 15 37 200 km WITHDIST|GEORADIUS_RO g 15 37 200 km ASC
GEORADIUSBYMEMBER g Palermo 200 km ASC|GEORADIUSBYMEMBER_RO g Palermo 200 km ASC|GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC WITHCOORD
GEOSEARCHSTORE {g}2 g FROMLONLAT 15 37 BYRADIUS 200 km|GEORADIUS g 15 37 200 km STORE {g}3|XADD x 1-1 f v|XADD x 1-2 f w|XLEN x|XRANGE x - +
XREVRANGE x + -|XREAD COUNT 1 STREAMS x 0|XREAD STREAMS nope 0|XGROUP CREATE x grp 0|XGROUP CREATECONSUMER x grp bob
XREADGROUP GROUP grp bob COUNT 1 STREAMS x >|XPENDING x grp|XACK x grp 1-1|XCLAIM x grp bob 0 1-2|XAUTOCLAIM x grp bob 0 0
XINFO STREAM nope|XINFO GROUPS nope|XINFO CONSUMERS nope grp|XGROUP SETID x grp 0|XGROUP DELCONSUMER x grp bob|XGROUP DESTROY x grp|XSETID x 2-0|XDEL x 1-1
XTRIM x MAXLEN 0|EVAL "return {KEYS[1],ARGV[1],{1,2}}" 1 a b|EVAL "return {double=3.5,1,false}" 0|EVAL "redis.setresp(3) return {map={x=1}}" 1 a
EVAL "redis.setresp(3) return {big_number='1 2\\n3'}" 1 a|EVAL_RO "return redis.call('GET',KEYS[1])" 1 b|EVAL "return redis.error_reply('MY ERR')" 1 a|EVAL nonsense 1 a|EVAL x 5 a|EVAL x -1 a|EVAL x no a
SCRIPT LOAD "return 7"|EVALSHA 1fdf47ae19bbe33cdd8ea09e3a2a1d3b2bc1c7a7 0|EVALSHA_RO 1fdf47ae19bbe33cdd8ea09e3a2a1d3b2bc1c7a7 1 a
SCRIPT EXISTS 1fdf47ae19bbe33cdd8ea09e3a2a1d3b2bc1c7a7 0000|SCRIPT FLUSH|SCRIPT EXISTS 0000|SCRIPT NOPE
FUNCTION LOAD "#!lua name=lib\nredis.register_function{function_name='f',callback=function(k,a) return k[1] end,flags={'no-writes'}}"|FCALL f 1 a|FCALL_RO f 1 a
FCALL nope 0|FUNCTION LIST|FUNCTION DELETE lib|FUNCTION LIST|SET|GET a b|NOPE a|LPUSH a x|MGET|MSET a|MSETNX a|ZUNIONSTORE a 0 b|LMPOP 0 a left
PING|PING hi|ECHO hi|SELECT 0|SELECT x|DBSIZE|DBSIZE x|FLUSHDB|DBSIZE|COMMAND COUNT|COMMAND INFO get set nope|COMMAND DOCS get|COMMAND NOPE|KEYS *|RANDOMKEY
SCAN 0|SCAN x|SCAN 0 COUNT 0|CLIENT GETNAME|CLIENT SETNAME bob|CLIENT GETNAME|CLIENT SETNAME "a b"|CLIENT REPLY ON|CLIENT NOPE|CLIENT GETREDIR|CLIENT TRACKINGINFO
CLIENT NO-EVICT on|CLIENT NO-EVICT x|CONFIG GET save|PING a b|CONFIG GET save appendonly|INFO nope|ACL WHOAMI|CLUSTER INFO|READONLY|OBJECT HELP|UNWATCH
HELLO 4|HELLO x|HELLO 2 FOO|AUTH x|AUTH a b|AUTH a b c|AUTH default x|WATCH a|MULTI|SET a 1|GET a|WATCH b|MULTI|LPUSH a x|PING|EXEC|EXEC|DISCARD|MULTI|EXEC|MULTI|NOPE
EXEC|MULTI|SET a|EXEC|MULTI|SET a 5|DISCARD|GET a|WATCH a|SET a 6|MULTI|GET a|EXEC|MULTI|SET a 7|EXEC|WATCH a|UNWATCH|WATCH a|DISCARD|RESET|GET a
"""
# Not on the router's list of commands, or not the same twice.
REDIS_LEFT_OUT = set("""blmove blmpop blpop brpop brpoplpush bzmpop bzpopmax bzpopmin migrate pfdebug restore-asking spublish ssubscribe
sunsubscribe""".split())
UNORDERED = {"SMEMBERS", "SUNION", "SINTER", "SDIFF", "SSCAN", "KEYS", "COMMAND", "CONFIG"}


def words_of(text):
    """Words; those in quotation marks may hold blanks, and \\n is a line end."""
    return [(quoted or plain).replace("\\n", "\n") for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', text)]


def stream():
    return [words_of(text) for line in REDIS_STREAM.strip().split("\n") for text in line.split("|")]


def ordered(value):
    """Without the order that a server's hash tables give by chance."""
    if isinstance(value, (list, Set)):
        return type(value)(sorted((ordered(item) for item in value), key=repr))
    return Map(sorted((ordered(pair) for pair in value), key=repr)) if isinstance(value, Map) else value


class Redis(RouterTest):
    def pair(self, servers):
        """A client of the router before so many servers, and one of a server that is like them; where the router listens."""
        port, self.ports = self.one_pool(servers, redis=True, hash_tag='"{}"', timeout=10000)
        direct = free_ports(1)[0]
        self.redis(direct)
        pair = Resp(port), Resp(direct)
        for each in pair:
            self.addCleanup(each.close)
        return (*pair, port)

    def check(self, words, said, expected):
        """Errors that name an unknown command list its arguments in Redis."""
        if isinstance(expected, Failure) and expected.startswith("ERR unknown command"):
            said, expected = said[:20], expected[:20]
        if words[0] in UNORDERED:
            said, expected = ordered(said), ordered(expected)
        if words[0] == "SELECT" and isinstance(expected, Failure):
            said, expected = said[:10], expected[:10]
        self.assertEqual(said, expected, words)

    def test_each_command_of_one_owner_has_the_servers_answer_in_both_versions_of_the_protocol(self):
        router, direct, _ = self.pair(1)
        names = set()
        for protocol in (2, 3):
            for each in (router, direct):
                each("FLUSHALL")
                each("HELLO", protocol)
            for words in stream():
                names.add(words[0].lower())
                self.check(words, router(*words), direct(*words))
                if words == ["RESET"]:
                    break
        known = {row[0].decode() for row in direct("COMMAND") if row[3] or row[8]}
        missing = {name for name in known if name not in names} - REDIS_LEFT_OUT
        self.assertEqual(missing, set(), "commands with keys that are not in the stream")

    def test_pipelined_they_are_the_same(self):
        router, direct, _ = self.pair(1)
        for each in (router, direct):
            each("HELLO", 3)
        said, expected = router.replies(stream()), direct.replies(stream())
        for words, ours, theirs in zip(stream(), said, expected):
            self.check(words, ours, theirs)

    def test_lines_of_words_are_split_as_the_server_splits_them(self):
        router, direct, _ = self.pair(1)
        for line in (rb'SET a "b c\x41\n\q\"\xg\\"', b'GET a', rb"SET a 'it\'s \n'", b"GET a", b"SET a''", b'ECHO "" ', b'ECHO a"b c"',
                     b"ECHO\x0bb", b"ECHO \x0ba\x0bb", b"  ECHO \ta\t", b"ZUNION 0 a", b"SINTERCARD x a", b"PING a b", b"XGROUP HELP a", b"OBJECT FREQ"):
            said = []
            for each in (router, direct):
                each.socket.sendall(line + b"\r\n")
                said.append(each.reply())
            self.check([line], *said)

    def test_over_several_servers_random_commands_have_one_servers_answers(self):
        router, direct, _ = self.pair(3)
        rng = random.Random(6)

        def key():
            return f"k{rng.randrange(12)}"

        def keys():
            return [key() for _ in range(rng.randrange(1, 5))]

        def pairs():
            return [word for each in keys() for word in (each, rng.randrange(100))]

        makers = [lambda: ["SET", key(), rng.randrange(100)], lambda: ["GET", key()], lambda: ["MGET", *keys()], lambda: ["MSET", *pairs()],
                  lambda: ["DEL", *keys()], lambda: ["UNLINK", *keys()], lambda: ["EXISTS", *keys()], lambda: ["TOUCH", *keys()],
                  lambda: ["INCRBY", key(), rng.randrange(9)], lambda: ["APPEND", key(), "x"], lambda: ["LPUSH", key(), "a"],
                  lambda: ["RPOP", key()], lambda: ["HSET", key(), "f", rng.randrange(9)], lambda: ["HGETALL", key()], lambda: ["DBSIZE"],
                  lambda: ["KEYS", "*"], lambda: ["EVAL", "return redis.call('EXISTS',KEYS[1])", 1, key()], lambda: ["TYPE", key()],
                  lambda: ["NOPE", key()], lambda: ["GET"], lambda: ["ZADD", key(), rng.randrange(9), "m"], lambda: ["ZSCORE", key(), "m"]]
        for turn in range(60):
            protocol = rng.choice((2, 3))
            commands = [["HELLO", protocol]] + [rng.choice(makers)() for _ in range(rng.randrange(1, 80))]
            if turn % 20 == 19:
                commands.append(["FLUSHALL"])
            said, expected = router.replies(commands), direct.replies(commands)
            for words, ours, theirs in list(zip(commands, said, expected))[1:]:
                if words[0] == "MGET" and protocol == 2:
                    self.assertEqual(len(ours), len(words) - 1)
                self.check(words, ours, theirs)

    def test_a_scan_over_all_servers_lists_each_key_once_and_none_that_another_owns(self):
        router, _, port = self.pair(3)
        keys = {f"key:{i}".encode() for i in range(2000)}
        self.assertEqual({reply for reply in router.replies([("SET", key, "1") for key in keys])}, {("+", "OK")})
        for server in self.ports:
            stray = Resp(server)
            stray.replies([("SET", f"key:{i}", "stray") for i in range(0, 2000, 50)])
            stray.close()
        for protocol in (2, 3):
            router("HELLO", protocol)
            for options in ((), ("COUNT", 300), ("MATCH", "key:1*")):
                cursor, found = b"0", []
                while True:
                    cursor, page = router("SCAN", cursor, *options)
                    found += page
                    self.assertLess(int(cursor), 2 ** 53)
                    if cursor == b"0":
                        break
                expected = {key for key in keys if "MATCH" not in options or key.startswith(b"key:1")}
                self.assertEqual(set(found), expected)
                self.assertEqual(len(found), len(expected), "each once")
            self.assertEqual(sorted(router("KEYS", "*")), sorted(keys))
            self.assertIn(router("RANDOMKEY"), keys)
        self.assertEqual(router("FLUSHALL"), ("+", "OK"))
        self.assertEqual([router("DBSIZE"), router("RANDOMKEY"), router("KEYS", "*"), router("SCAN", 0)], [0, Nil("_"), [], [b"1", []]])

    def test_watched_keys_guard_a_transaction_over_many_clients(self):
        _, _, port = self.pair(2)
        clients = [Resp(port) for _ in range(20)]
        for number, client in enumerate(clients):
            self.addCleanup(client.close)
            client("HELLO", 2 + number % 2)
        clients[0]("SET", "n", 0)
        done = 0
        for turn in range(40):
            for client in clients:
                self.assertEqual(client("WATCH", "n"), ("+", "OK"))
            seen = [int(client("GET", "n")) for client in clients]
            for client, value in zip(clients, seen):
                self.assertEqual(client.replies([("MULTI",), ("SET", "n", value + 1)]), [("+", "OK"), ("+", "QUEUED")])
            said = [client("EXEC") for client in clients]
            winners = [reply for reply in said if not isinstance(reply, Nil)]
            self.assertEqual(winners, [[("+", "OK")]], f"turn {turn}: of those who have seen one value, one changes it")
            done += 1
        self.assertEqual(clients[1]("GET", "n"), str(done).encode())
        client = clients[2]
        self.assertEqual(client("WATCH", "{x}1", "{x}2"), ("+", "OK"))
        names = [f"other{i}" for i in range(50)]
        said = client.replies([("WATCH", name) for name in names])
        self.assertIn("CROSSSLOT Keys that are watched must belong to one node", [str(reply) for reply in said])

    def test_the_table_of_commands_is_redis_own_and_so_are_the_places_of_keys(self):
        router, direct, _ = self.pair(1)
        port = direct.socket.getpeername()[1]
        made = subprocess.run([sys.executable, os.path.join(SOURCE, "tools/make_redis_commands.py"), str(port)], capture_output=True, text=True,
                              check=True).stdout
        with open(os.path.join(SOURCE, "src/router/redis_commands.inc"), encoding="utf-8") as table:
            self.assertEqual(made, table.read())
        more = [words_of(text) for text in ("SORT a BY b STORE c", "SORT a STORE b STORE c", "MIGRATE h 1 a 0 5", "MIGRATE h 1 \"\" 0 5 KEYS a b", "EVAL x 2 a b c",
                                            "XREADGROUP GROUP g c STREAMS a b 0 0", "ZUNIONSTORE a 2 b c WEIGHTS 1 2", "BLPOP a b 0",
                                            "GEORADIUS a 1 2 3 km STOREDIST b", "LMPOP 1 a LEFT", "MSETNX a 1 b 2", "MEMORY USAGE a")]
        asked = 0
        for words in stream() + more:
            # Redis calls a lack of words before `GETKEYS` by another name, and an empty list of keys an error for some.
            said, expected = router("COMMAND", "GETKEYS", *words), direct("COMMAND", "GETKEYS", *words)
            if isinstance(expected, Failure) or expected == []:
                self.assertTrue(isinstance(said, Failure) or said == [] or words[2:3] == ["0"], (words, said, expected))
            else:
                asked += 1
                self.assertEqual(said, expected, words)
        self.assertGreater(asked, 200)


class Memcached(RouterTest):
    KEYS = ["a", "b", "c", "user:1", "user:2", "x" * 250]

    def commands(self, rng):
        """One command of the text protocol: right ones, odd ones, wrong ones. Not: a value for a key that is too long, whose bytes
        memcached then takes for commands, and the router does not; a key that is too long in a get, for which memcached forgets answers
        before it that it has not sent."""
        key = rng.choice(self.KEYS)
        keys = " ".join(rng.choice(self.KEYS) for _ in range(rng.randrange(1, 5)))
        data = rng.choice(["", "1", "42", "hello", "x" * rng.randrange(300)])
        quiet = rng.choice(["", "", " noreply"])
        stored = f"{rng.choice([0, 1, 4294967295])} {rng.choice([0, 0, 1000, -1])} {len(data)}"
        meta = " ".join(rng.sample(["v", "k", "f", "s", "q", "O123", "N0", "T1000", "h", "c" if self.exact else "s"], rng.randrange(5)))
        writes = " ".join(rng.sample(["k", "q", "O9", "T0", "F7", rng.choice(["MS", "MA", "MP", "MR", "ME"])], rng.randrange(4)))
        return rng.choice([
            f"get {keys}", f"get {keys}", f"{'gets' if self.exact else 'get'} {keys}", f"gat 1000 {keys}", f"set {key} {stored}{quiet}\r\n{data}",
            f"set {key} {stored}\r\n{data}", f"add {key} {stored}{quiet}\r\n{data}", f"replace {key} {stored}{quiet}\r\n{data}",
            f"append {key} {stored}{quiet}\r\n{data}", f"prepend {key} {stored}{quiet}\r\n{data}",
            f"cas {key} {stored} {rng.randrange(1, 40) if self.exact else 0}{quiet}\r\n{data}", f"incr {key} {rng.choice([1, 5, 'x'])}{quiet}",
            f"decr {key} {rng.choice([1, 5, 18446744073709551615])}{quiet}", f"touch {key} 1000{quiet}", f"delete {key}{quiet}",
            f"delete {key} {rng.choice(['0', '1', 'x y'])}", f"mg {key} {meta}", f"mg {key} {meta}", f"ms {key} {len(data)} {writes}\r\n{data}",
            f"md {key} {rng.choice(['', 'q', 'O1 k', 'I T30'])}", f"ma {key} {rng.choice(['', 'v', 'MD v', 'D5 v t', 'q', 'N0 J7 v', 'k O2'])}",
            "mn", f"mg {rng.choice(['Zm9v', 'YQ==', '!', 'YQ'])} b k v", "ms YQ== 2 b\r\nhi", "md YQ== b", "bogus", "get",
            "verbosity 1", "verbosity", "verbosity x", "flush_all x", "gat", "gat 5", "gat x a",
            f"bget {key}", "ms a", "ms a x", "me nope", "set a 0 0 x", f"touch {key}", "incr", "mg", "md", "ma", "ms", "touch", "delete", "",
            rng.choice(["flush_all", "mn", "mn"]), rng.choice(["flush_all noreply", "mn", "mn"])])

    def compare(self, servers, streams, size):
        self.exact = servers == 1
        port, _ = self.one_pool(servers, timeout=10000)
        direct = free_ports(1)[0]
        self.memcached(direct)
        ours, theirs = Connection(port), Connection(direct)
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        rng = random.Random(servers)
        for number in range(streams):
            commands = [self.commands(rng) for _ in range(size)]
            said, expected = self.answers(ours, commands, number), self.answers(theirs, commands, number)
            if said != expected:
                at = next((i for i, pair in enumerate(zip(said, expected)) if pair[0] != pair[1]), len(said))
                self.fail(f"{said[max(0, at - 5):at + 5]} and directly {expected[max(0, at - 5):at + 5]}: " +
                          self.first_that_differs(ours, theirs, commands))

    def answers(self, client, commands, number):
        end = f"end{number}"
        client.say("".join(text + "\r\n" for text in commands) + f"ms {end} 3\r\nend\r\nmg {end} k v\r\n")
        said = []
        while not said or said[-1] != f"VA 3 k{end}":
            said.append(client.line())
        client.line()
        return said

    def first_that_differs(self, ours, theirs, commands):
        for client in (ours, theirs):
            client.say("flush_all\r\n").line()
        for number, text in enumerate(commands):
            said, expected = self.answers(ours, [text], f"x{number}"), self.answers(theirs, [text], f"x{number}")
            if said != expected:
                return f"{text!r} has {said} and directly {expected}, after {commands[max(0, number - 5):number]}"
        return f"only together: {commands}"

    def test_one_server_behind_the_router_answers_as_without_it(self):
        self.compare(1, 150, 60)

    def test_several_servers_behind_the_router_answer_as_one(self):
        self.compare(3, 150, 60)

    def test_one_by_one_even_odd_commands_have_memcacheds_answers(self):
        port, _ = self.one_pool(1)
        direct = free_ports(1)[0]
        self.memcached(direct)
        ours, theirs = Connection(port), Connection(direct)
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        texts = ["get", "get " + "y" * 251, "set a 0 0 1\r\n1", f"get a {'y' * 251} b", f"gat 0 a {'y' * 251}", f"mg {'y' * 251}", f"delete {'y' * 251}", "get\ta",
                 "mn a b", "me", "me nope v", "mg a Z", "mg a v v", "ma a Z", "md a Z", "set a 0 0 -1", "ms a -1", "incr a -1",
                 "touch a x", "touch a 1 2", "gat", "gat x", "gat 1", "flush_all -1", "flush_all 1 2 3", "verbosity 1 2", "stats nope", "stats reset", " ", "  get a"]
        for number, text in enumerate(texts):
            self.assertEqual(self.answers(ours, [text], number), self.answers(theirs, [text], number), text)

    def test_who_speaks_http_is_heard_no_further(self):
        port, _ = self.one_pool(1)
        direct = free_ports(1)[0]
        self.memcached(direct)
        for request in ("GET / HTTP/1.1", "POST /x HTTP/1.0", "DELETE HTTP/1.1"):
            for place in (port, direct):
                client = Connection(place)
                self.assertEqual(client.say(f"{request}\r\nset a 0 0 1\r\n1\r\n").line(), "", request)
                client.close()
                check = Connection(place)
                self.assertEqual(check.say("get a\r\nHTTP\r\n").lines(2), ["END", "ERROR"])
                check.close()

    FLAGS = ["v", "k", "f", "s", "q", "q1", "qq", "h", "u", "b", "I", "O123", "O" + "9" * 31, "O" + "9" * 40, "T0", "T-1", "T100000", "T", "Tx", "T5x",
             "N0", "N", "N-", "R30", "R", "F7", "F", "Fx", "C1", "C", "Cx", "M", "MS", "ME", "MA", "MP", "MR", "MI", "MD", "M+", "MX", "MSS", "D3",
             "D", "D-1", "J7", "J", "P", "Lx", "Z", "E", "1", "\x7f", "x", "S5", "v", "k", "q", "O1"]

    def meta(self, rng):
        """A meta command with flags of any kind. Not: what memcached does before it finds fault with an opaque that is too long, and a
        quiet count that makes an item, which it tells all the same."""
        verb, key = rng.choice(["mg", "ms", "md", "ma"]), rng.choice(["a", "b", "n", "YQ==", "Y!Q==", "YQ", "x" * 250])
        flags = [rng.choice(self.FLAGS) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 6, 12]))]
        letters = {flag[0] for flag in flags}
        if verb == "mg" and any(len(flag) > 32 for flag in flags):
            flags = [flag for flag in flags if flag[0] not in "TNR"]
        if verb == "ma" and {"N", "q"} <= letters:
            flags = [flag for flag in flags if flag[0] != "q"]
        data = rng.choice(["", "1", "42", "hello\r\nmn"])
        size = rng.choice(["x", "-1", "", "1.5"]) if verb == "ms" and rng.random() < 0.05 else str(len(data))
        if verb != "ms":
            return " ".join([verb, key, *flags])
        line = " ".join([verb, key, *([size] if size else []), *flags])
        return line + "\r\n" + data if size == str(len(data)) else line

    def test_flags_of_any_kind_have_memcacheds_answers_and_leave_the_stream_in_step(self):
        for servers, seeds in ((1, 60), (3, 60)):
            port, _ = self.one_pool(servers, timeout=10000)
            direct = free_ports(1)[0]
            self.memcached(direct)
            ours, theirs = Connection(port), Connection(direct)
            self.addCleanup(ours.close)
            self.addCleanup(theirs.close)
            for seed in range(seeds):
                rng = random.Random(seed)
                commands = ["set n 0 0 1\r\n5"] + [self.meta(rng) for _ in range(80)]
                said, expected = self.answers(ours, commands, seed), self.answers(theirs, commands, seed)
                if said != expected:
                    self.fail(self.first_that_differs(ours, theirs, commands))

    def test_of_a_value_that_is_too_large_the_old_one_is_left_where_memcached_leaves_it(self):
        for limit in ("4MiB", "1MiB"):  # the server refuses it; the router does
            ports = free_ports(3)
            for server in ports[1:]:
                self.memcached(server)
            text = pool("cache", ports[0], [(ports[1], 1, "s0")], hash="fnv1a_64", distribution="ketama", timeout=10000)
            self.options = ("--set", f"largest_value={limit}")
            self.router(self.write(f"{limit}.yml", text), ports[0])
            clients = [Connection(port) for port in (ports[0], ports[2])]
            large = "x" * 1_100_000
            for verb in ("set a 0 0 1100000", "set a 0 0 1100000 noreply", "add a 0 0 1100000", "replace a 0 0 1100000", "append a 0 0 1100000",
                         "prepend a 0 0 1100000", "cas a 0 0 1100000 1", "ms a 1100000", "ms a 1100000 q", "ms a 1100000 ME k O1", "ms a 1100000 MA",
                         "ms YQ== 1100000 b", "ms a 1100000 Z", "ms a 1100000 MX",
                         "ms a 1100000 O" + "1" * 40):
                said = []
                for client in clients:
                    self.addCleanup(client.close)
                    client.say("flush_all\r\nset a 0 0 3\r\nold\r\n").lines(2)
                    said.append(self.answers(client, [f"{verb}\r\n{large}", "get a"], 0))
                self.assertEqual(*said, (limit, verb))

    def test_what_is_written_by_a_key_in_base64_is_read_by_the_key_itself(self):
        port, _ = self.one_pool(3)
        client = Connection(port)
        self.addCleanup(client.close)
        for number in range(30):
            key = f"k{number}"
            written = base64.b64encode(key.encode()).decode()
            self.assertEqual(client.say(f"ms {written} 2 b\r\nhi\r\nget {key}\r\n").lines(4), ["HD", f"VALUE {key} 0 2", "hi", "END"])
            self.assertEqual(client.say(f"mg {written} b k v\r\n").lines(2), [f"VA 2 k{written} b", "hi"])


if __name__ == "__main__":
    unittest.main()
