"""Server lists and keys made up from a seed. The seed is printed, so that a list that fails can be made again."""
import os
import random

SEED = os.environ.get("ARCWISE_SEED") or "20261130"
KEYS = 2000  # of each list


def generator(name):
    """Each program has numbers of its own: a test that is changed or left out changes no other's."""
    return random.Random(f"{SEED} {name}")


WORDS = ["user", "cart", "session", "item", "price", "été", "Ünïcødé", "ключ", "缓存", "🙂", "a", "zz", "Käse"]
BYTES = [*range(0x21, 0x7F), *range(0x80, 0x100)]
PRINTABLE = [chr(code) for code in range(0x21, 0x7F)]


def _text(rng):
    """What applications use as keys, and what none would."""
    kind = rng.randrange(7)
    if kind == 0:
        return f"{rng.choice(WORDS)}:{rng.randrange(10**rng.randrange(1, 10))}"
    if kind == 1:
        return f"{rng.choice(WORDS)}:{{{rng.randrange(10**6)}}}:{rng.choice(WORDS)}"
    if kind == 2:
        return f"{rng.getrandbits(128):032x}"
    if kind == 3:
        return "/" + "/".join(rng.choice(WORDS) + str(rng.randrange(1000)) for _ in range(rng.randrange(1, 5)))
    if kind == 4:  # pairs of braces: none, empty, nested, unclosed
        return "".join(rng.choices("{{}}ab12", k=rng.randrange(3, 15)))
    letters = PRINTABLE if kind == 5 else PRINTABLE + WORDS
    return "".join(rng.choices(letters, k=rng.randrange(1, 16) if rng.randrange(4) else rng.randrange(16, 240)))


def keys(rng, *, count=KEYS, raw=False, ascii_only=False, without="", longest=250):
    """Distinct keys as bytes: UTF-8, with `raw` any bytes from 0x21 on, too. Beyond 250 bytes, a few are as long as they may be."""
    found = {}
    while len(found) < count:
        if raw and rng.randrange(10) == 0:
            key = bytes(rng.choices(BYTES, k=rng.randrange(1, 40)))
        else:
            key = _text(rng).encode()
        if longest > 250 and rng.randrange(50) == 0:
            key = (key * longest)[:rng.randrange(250, longest)].decode(errors="ignore").encode()
        key = key.translate(None, without.encode())
        if key and len(key) <= longest and not (ascii_only and not key.isascii()):
            found[key] = None
    return list(found)


def hosts(rng, count, ipv6):
    """Distinct host names and addresses of no particular network: for programs that only hash them."""
    found = {}
    while len(found) < count:
        kind = rng.randrange(8)
        if kind < 3:
            found[f"{rng.choice(['cache', 'mc', 'db', 'node'])}-{rng.randrange(1000)}.example.net"] = None
        elif kind == 3 and ipv6:
            found[f"2001:db8::{rng.randrange(1, 65536):x}:{rng.randrange(1, 65536):x}"] = None
        else:
            found[f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"] = None
    return list(found)


def addresses(rng, count, ipv6=True):
    """(host, port) pairs; port 11211 often, since several systems leave it out of what they hash."""
    return [(host, 11211 if rng.random() < 0.4 else rng.randrange(1024, 65536)) for host in hosts(rng, count, ipv6)]


def loopback(rng, count):
    """(host, port) pairs on which servers can listen. None is on 127.0.0.1, where other programs may."""
    found = {}
    while len(found) < count:
        host = f"127.{rng.randrange(1, 255)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"
        found[host] = 11211 if rng.random() < 0.3 else rng.randrange(10000, 32000)
    return list(found.items())


def weights(rng, count, heaviest=20, zero=False, shares=False):
    """All equal in one list of three; with `zero`, now and then a weight of 0. `shares` is for systems in which only the ratio of
    weights counts: some are then large."""
    if shares:
        heaviest = rng.choice([20, 20, 1000, 10**6])
    if rng.randrange(3) == 0:
        return [1] * count
    found = [rng.choice([1, 1, 2, 3, 5, rng.randrange(1, heaviest + 1)]) for _ in range(count)]
    if zero and count > 4 and rng.randrange(2):
        found[rng.randrange(count)] = 0
    return found
