"""Looks for values that come back: reads, writes and deletes with versions, while servers are cut off and return.

Each key has one writer, which waits for an answer before it writes again, and many readers. A read may find a write that was
not acknowledged, or nothing, for a cache may forget; never a version older than the last one that was acknowledged before
the read began.
"""
import dataclasses
import math
import random
import selectors
import socket
import time

from protocols import Answer, answer

STEP = 0.002  # between the requests of one connection
# How each begins and ends, and how long it lasts. A kernel sends what was lost again after 0.2 s, and then after 0.4 s more: time
# enough for another connection to be made meanwhile, and for a write on it to be undone.
KINDS = {"stopped": ("stop", "go_on", 0.05, 0.25), "cut off": ("pull_cable", "plug_cable", 0.05, 0.55),
         "restarted": ("kill", "start", 0.05, 0.25)}


class Ledger:
    """What was written to each key, and which reads contradict it."""

    def __init__(self, keys):
        self.issued, self.acknowledged = dict.fromkeys(keys, 0), dict.fromkeys(keys, 0)
        self.stale = []

    def write(self, key):
        self.issued[key] += 1
        return self.issued[key]

    def acknowledge(self, key, version):
        self.acknowledged[key] = version

    def begin_read(self, key):
        """What the read may not fall behind."""
        return self.acknowledged[key]

    def end_read(self, key, floor, found):
        """`found`: the version that was read, or None for nothing."""
        if found is None:
            return
        if not 0 < found <= self.issued[key]:
            raise AssertionError(f"{key}: version {found} was never written")
        if found < floor:
            self.stale.append(f"{key}: version {found} was read after version {floor} had been acknowledged")


class Talker:
    """A connection with one request under way."""

    def __init__(self, checker, port, keys, writes):
        self.checker, self.port, self.keys, self.writes, self.rng = checker, port, keys, writes, checker.rng
        self.waits = False
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        self.socket.setblocking(False)
        self.said = b""
        self.checker.selector.register(self.socket, selectors.EVENT_READ, self)

    def ask(self, now):
        self.key, self.began, self.waits = self.rng.choice(self.keys), now, True
        protocol, ledger = self.checker.protocol, self.checker.ledger
        if not self.writes:
            self.version = ledger.begin_read(self.key)
            request = protocol.get(self.key)
        else:
            self.version = ledger.write(self.key)
            text = b"%s=%d=" % (self.key, self.version) + b"." * self.rng.randrange(200)
            request = protocol.delete(self.key) if self.rng.random() < 0.2 else protocol.set(self.key, text)
        try:
            self.socket.send(request)
        except ConnectionError:
            pass  # hear() will be told

    def hear(self):
        try:
            more = self.socket.recv(1 << 16)
        except ConnectionError:
            more = b""
        self.said += more
        heard = answer(self.checker.protocol, self.said) if more else Answer(False)
        if heard is None:
            return
        self.said, self.waits = b"", False
        self.checker.answered(self, heard.done, heard.value)
        if not more:
            self.close()
            self.connect()

    def close(self):
        self.checker.selector.unregister(self.socket)
        self.socket.close()


@dataclasses.dataclass
class Seen:
    reads: int = 0      # that found a value
    writes: int = 0     # acknowledged
    failed: int = 0     # of either kind
    elsewhere: int = 0  # acknowledged writes of keys whose server was away
    outages: int = 0


class Checker:
    """Before routers at `ports`, whose keys the islands hold. A key is written through one of them, and read through all."""

    def __init__(self, ports, protocol, islands, seed):
        self.protocol, self.islands = protocol, islands
        self.rng = random.Random(seed)
        self.selector = selectors.DefaultSelector()
        # No other seed's: what another router was told to send may still arrive.
        keys = [b"%d:user:%d" % (seed, i * 7919) for i in range(6 * len(islands))]
        self.ledger, self.seen = Ledger(keys), Seen()
        self.talkers = [Talker(self, ports[i % len(ports)], keys[i::10], True) for i in range(10)]
        self.talkers += [Talker(self, ports[i % len(ports)], keys, False) for i in range(14)]
        self.back = dict.fromkeys(islands, 0.0)  # since when
        self.owners = {}
        self.away = {}  # since when
        self.used = set()  # islands that have answered since

    def close(self):
        for talker in self.talkers:
            talker.close()
        self.selector.close()

    def find_owners(self, where):
        """`where(island, keys)`: those of the keys that it holds now."""
        def found():
            for island in self.islands:
                self.owners.update(dict.fromkeys(where(island, list(self.ledger.issued)), island))
            return len(self.owners) == len(self.ledger.issued)
        self.talk(found, 20, "each key is somewhere")
        if len(set(self.owners.values())) != len(self.islands):
            raise AssertionError("not each server has keys")

    def answered(self, talker, done, value):
        if not done:
            self.seen.failed += 1
            return
        island = self.owners.get(talker.key)
        if island and talker.began > self.back[island]:
            self.used.add(island)
        if talker.writes:
            self.seen.elsewhere += talker.began > self.away.get(island, math.inf) + 0.01
            self.ledger.acknowledge(talker.key, talker.version)
            self.seen.writes += 1
            return
        found = None
        if value is not None:
            key, version, _ = value.split(b"=")
            if key != talker.key:
                raise AssertionError(f"{talker.key} was asked for, and this is of {key}")
            found = int(version)
            self.seen.reads += 1
        self.ledger.end_read(talker.key, talker.version, found)

    def talk(self, holds, seconds, what):
        """Until it holds."""
        end = time.monotonic() + seconds
        while not holds():
            now = time.monotonic()
            if now > end:
                raise AssertionError(f"{what}: not within {seconds} s; {self.seen}")
            for talker in self.talkers:
                if not talker.waits:
                    talker.ask(now)
            while (left := now + STEP - time.monotonic()) > 0:
                for key, _ in self.selector.select(left):
                    key.data.hear()

    def outages(self, count, kinds, settle, enough=lambda: False, meanwhile=lambda: None):
        """So many of them, of each island in its turn, several at once. `settle`: the least and the most seconds from an
        island's return to its next outage; without, soon after it was heard of again."""
        waits = [(0.0, iter(self.befalls(island, count, kinds, settle))) for island in self.islands]

        def step():
            meanwhile()
            now = time.monotonic()
            for i, (until, script) in enumerate(waits):
                if script and (until() if callable(until) else now >= until):
                    pause = next(script, None)
                    waits[i] = (None, None) if pause is None else (pause if callable(pause) else now + pause, script)
            return enough() or not any(script for _, script in waits)
        try:
            self.talk(step, 60, f"{count} outages")
        finally:
            for island in self.islands:
                island.go_on()
                island.plug_cable()

    def befalls(self, island, count, kinds, settle):
        yield self.rng.uniform(0, 0.2)
        while self.seen.outages < count:
            self.seen.outages += 1
            begin, end, least, most = KINDS[self.rng.choice(kinds)]
            getattr(island, begin)()
            self.away[island] = time.monotonic()
            yield self.rng.uniform(least, most)
            getattr(island, end)()
            self.away.pop(island)
            self.back[island] = time.monotonic()
            self.used.discard(island)
            if settle:
                yield self.rng.uniform(*settle)
            else:
                yield lambda: island in self.used
                yield self.rng.uniform(0.05, 0.15)
