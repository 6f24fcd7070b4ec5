"""The key hashes of other systems, written out from their definitions for make_golden.py.

Numbers are unbounded here and cut where a definition has a word end, unlike in Arcwise's own code. Where
`signed` is a parameter, a byte of 0x80 or more counts as a negative number.
"""

import hashlib
import zlib

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1


def rotl(x, n, bits):
    return ((x << n) | (x >> (bits - n))) & ((1 << bits) - 1)


def little(data):
    return int.from_bytes(data, "little")


def numbers(data, signed):
    return [b - 256 if signed and b > 127 else b for b in data]


def text(data):
    """UTF-8; each byte that is part of no well-formed sequence stands for itself."""
    out = ""
    while data:
        for size in (1, 2, 3, 4):
            try:
                out += data[:size].decode("utf-8")
                break
            except UnicodeDecodeError:
                pass
        else:
            size = 1
            out += chr(data[0])
        data = data[size:]
    return out


def utf16(data):
    raw = text(data).encode("utf-16-le")
    return [little(raw[i:i + 2]) for i in range(0, len(raw), 2)]


# Fowler-Noll-Vo

def fnv(units, bits, xor_first):
    h, prime = {32: (0x811C9DC5, 0x01000193), 64: (0xCBF29CE484222325, 0x100000001B3)}[bits]
    for unit in units:
        if xor_first:
            h = (h ^ unit) * prime
        else:
            h = h * prime ^ unit
        h %= 1 << bits
    return h & M32


# Jenkins

def one_at_a_time(data, signed):
    h = 0
    for n in numbers(data, signed):
        h = (h + n) & M32
        h = h * 1025 & M32
        h ^= h >> 6
    h = h * 9 & M32
    h ^= h >> 11
    return h * 32769 & M32


def lookup3_mix(a, b, c):
    for n in ((4, 6, 8), (16, 19, 4)):
        a = ((a - c) & M32) ^ rotl(c, n[0], 32)
        c = (c + b) & M32
        b = ((b - a) & M32) ^ rotl(a, n[1], 32)
        a = (a + c) & M32
        c = ((c - b) & M32) ^ rotl(b, n[2], 32)
        b = (b + a) & M32
    return a, b, c


def lookup3_final(a, b, c):
    c = ((c ^ b) - rotl(b, 14, 32)) & M32
    a = ((a ^ c) - rotl(c, 11, 32)) & M32
    b = ((b ^ a) - rotl(a, 25, 32)) & M32
    c = ((c ^ b) - rotl(b, 16, 32)) & M32
    a = ((a ^ c) - rotl(c, 4, 32)) & M32
    b = ((b ^ a) - rotl(a, 14, 32)) & M32
    return ((c ^ b) - rotl(b, 24, 32)) & M32


def lookup3(data, initval):
    a = b = c = (0xDEADBEEF + len(data) + initval) & M32
    if not data:
        return c
    while len(data) > 12:
        a, b, c = lookup3_mix((a + little(data[:4])) & M32, (b + little(data[4:8])) & M32,
                              (c + little(data[8:12])) & M32)
        data = data[12:]
    return lookup3_final((a + little(data[:4])) & M32, (b + little(data[4:8])) & M32, (c + little(data[8:])) & M32)


def postgres_bytes(data):
    a = b = c = (0x9E3779B9 + len(data) + 3923095) & M32
    while len(data) >= 12:
        a, b, c = lookup3_mix((a + little(data[:4])) & M32, (b + little(data[4:8])) & M32,
                              (c + little(data[8:12])) & M32)
        data = data[12:]
    return lookup3_final((a + little(data[:4])) & M32, (b + little(data[4:8])) & M32,
                         (c + 256 * little(data[8:])) & M32)


def ceph_rjenkins(data):
    def mix(a, b, c):
        for right1, left, right2 in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
            a = ((a - b - c) & M32) ^ c >> right1
            b = ((b - c - a) & M32) ^ a << left & M32
            c = ((c - a - b) & M32) ^ b >> right2
        return a, b, c

    size = len(data)
    a, b, c = 0x9E3779B9, 0x9E3779B9, 0
    while len(data) >= 12:
        a, b, c = mix((a + little(data[:4])) & M32, (b + little(data[4:8])) & M32, (c + little(data[8:12])) & M32)
        data = data[12:]
    return mix((a + little(data[:4])) & M32, (b + little(data[4:8])) & M32,
               (c + size + 256 * little(data[8:])) & M32)[2]


# Murmur

def murmur2_32(data, seed):
    m = 0x5BD1E995
    h = seed ^ len(data)
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        k = little(data[i:i + 4]) * m & M32
        h = (h * m ^ (k ^ k >> 24) * m) & M32
    if whole < len(data):
        h = (h ^ little(data[whole:])) * m & M32
    h = (h ^ h >> 13) * m & M32
    return h ^ h >> 15


def murmur2_64(data, seed):
    m = 0xC6A4A7935BD1E995
    h = (seed ^ len(data) * m) & M64
    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        k = little(data[i:i + 8]) * m & M64
        h = (h ^ (k ^ k >> 47) * m) * m & M64
    if whole < len(data):
        h = (h ^ little(data[whole:])) * m & M64
    h = (h ^ h >> 47) * m & M64
    return h ^ h >> 47


def murmur3_32(data, seed):
    h = seed
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        h ^= rotl(little(data[i:i + 4]) * 0xCC9E2D51 & M32, 15, 32) * 0x1B873593 & M32
        h = rotl(h, 13, 32) * 5 + 0xE6546B64 & M32
    h ^= rotl(little(data[whole:]) * 0xCC9E2D51 & M32, 15, 32) * 0x1B873593 & M32
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & M32
    return h ^ h >> 16


def seed_len(data):
    return 0xDEADBEEF * len(data) & M32


# Others of memcached's clients and proxies

def crc32_15bit(data):
    return zlib.crc32(data) >> 16 & 0x7FFF


def crc16_32(data):
    def table(i):
        i <<= 8
        for _ in range(8):
            i = i << 1 ^ (0x1021 if i & 0x8000 else 0)
        return i & 0xFFFF

    crc = 0
    for byte in data:
        crc = crc << 8 & M32 ^ table((crc >> 8 ^ byte) & 255)
    return crc


def hsieh(data, signed):
    h = 0
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        h = (h + little(data[i:i + 2])) & M32
        h = (h << 16 ^ little(data[i + 2:i + 4]) << 11 ^ h) & M32
        h = (h + (h >> 11)) & M32
    tail = data[whole:]
    if len(tail) == 3:
        h = (h + little(tail[:2])) & M32
        h = (h ^ h << 16 ^ numbers(tail, signed)[2] << 18) & M32
        h = (h + (h >> 11)) & M32
    elif len(tail) == 2:
        h = (h + little(tail)) & M32
        h = (h ^ h << 11) & M32
        h = (h + (h >> 17)) & M32
    elif len(tail) == 1:
        h = (h + tail[0]) & M32
        h = (h ^ h << 10) & M32
        h = (h + (h >> 1)) & M32
    for left, right in ((3, 5), (4, 17), (25, 6)):
        h = (h ^ h << left) & M32
        h = (h + (h >> right)) & M32
    return h


# HAProxy

def full_hash(a):
    a = (a + 0x7ED55D16 + (a << 12)) & M32
    a = a ^ 0xC761C23C ^ a >> 19
    a = (a + 0x165667B1 + (a << 5)) & M32
    a = ((a + 0xD3A2646C) ^ a << 9) & M32
    a = (a + 0xFD7046C5 + (a << 3)) & M32
    a = a ^ 0xB55A4F09 ^ a >> 16
    return a * 3221225473 & M32


def sdbm(data):
    h = 0
    for byte in data:
        h = (byte + (h << 6) + (h << 16) - h) & M32
    return h


def djb2(data):
    h = 5381
    for byte in data:
        h = (h * 33 + byte) & M32
    return h


def wt6(data):
    h0, h1, s0, s1 = 0xA53C965A, 0x5CA6953A, 6, 18
    for byte in data:
        h0 = ~(h0 ^ byte) & M32
        h1 = ~(h1 + byte) & M32
        h0, h1 = rotl(h1, s0, 32), rotl(h0, s1, 32)
        t = (h0 >> 16 ^ h1) & 0xFFFF
        s0, s1 = t & 31, t >> 11
    return h0 ^ h1


def decimal32(data):
    digits = data[1:] if data[:1] in (b"-", b"+") else data
    number = 0
    for byte in digits:
        if not 48 <= byte <= 57:
            break
        number = number * 10 + byte - 48
    number = -number if data[:1] == b"-" else number
    return max(-(1 << 63), min((1 << 63) - 1, number)) & M32


# SpookyHash V2

def spooky_short(data, seed1, seed2):
    h = [seed1, seed2, 0xDEADBEEFDEADBEEF, 0xDEADBEEFDEADBEEF]

    def mix():
        for i, n in enumerate((50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36)):
            x, y, z = (i + 2) % 4, (i + 3) % 4, i % 4
            h[x] = (rotl(h[x], n, 64) + h[y]) & M64
            h[z] ^= h[x]

    size = len(data)
    while len(data) >= 16:
        pair, data = data[:16], data[16:]
        h[2] = (h[2] + little(pair[:8])) & M64
        h[3] = (h[3] + little(pair[8:])) & M64
        mix()
        if len(data) >= 16:
            pair, data = data[:16], data[16:]
            h[0] = (h[0] + little(pair[:8])) & M64
            h[1] = (h[1] + little(pair[8:])) & M64
    low, high = (little(data[:8]), little(data[8:])) if data else (0xDEADBEEFDEADBEEF, 0xDEADBEEFDEADBEEF)
    h[2] = (h[2] + low) & M64
    h[3] = (h[3] + high + (size << 56)) & M64
    for i, n in enumerate((15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63)):
        x, y = (i + 3) % 4, (i + 2) % 4
        h[x] ^= h[y]
        h[y] = rotl(h[y], n, 64)
        h[x] = (h[x] + h[y]) & M64
    return h[0]


def spooky_long(data, seed1, seed2):
    s = [seed1, seed2, 0xDEADBEEFDEADBEEF] * 4
    while len(data) >= 96:
        for i, n in enumerate((11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46)):
            s[i] = (s[i] + little(data[8 * i:8 * i + 8])) & M64
            s[(i + 2) % 12] ^= s[(i + 10) % 12]
            s[(i + 11) % 12] ^= s[i]
            s[i] = rotl(s[i], n, 64)
            s[(i + 11) % 12] = (s[(i + 11) % 12] + s[(i + 1) % 12]) & M64
        data = data[96:]
    last = data.ljust(95, b"\0") + bytes([len(data)])
    s = [(word + little(last[8 * i:8 * i + 8])) & M64 for i, word in enumerate(s)]
    for _ in range(3):
        for i, n in enumerate((44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54)):
            s[(i + 11) % 12] = (s[(i + 11) % 12] + s[(i + 1) % 12]) & M64
            s[(i + 2) % 12] ^= s[(i + 11) % 12]
            s[(i + 1) % 12] = rotl(s[(i + 1) % 12], n, 64)
    return s[0]


def spooky_v2_32(data, seed):
    return (spooky_short if len(data) < 192 else spooky_long)(data, seed, seed) & M32


def java_string_hash(data):
    h = 0
    for unit in utf16(data):
        h = 31 * h + unit & M32
    return h


def both_signs(name, function):
    return [(name, 8, lambda d: function(d, True)), (name + ".unsigned", 8, lambda d: function(d, False))]


# As make_golden.HASHES: name, hex digits, function of bytes.
HASHES = [
    *both_signs("one_at_a_time", one_at_a_time),
    ("crc32_15bit", 4, crc32_15bit),
    ("crc16_32", 8, crc16_32),
    *both_signs("fnv1_32", lambda d, s: fnv(numbers(d, s), 32, False)),
    *both_signs("fnv1a_32", lambda d, s: fnv(numbers(d, s), 32, True)),
    *both_signs("fnv1_64_low32", lambda d, s: fnv(numbers(d, s), 64, False)),
    *both_signs("fnv1a_64_low32", lambda d, s: fnv(numbers(d, s), 64, True)),
    ("jenkins", 8, lambda d: lookup3(d, 13)),
    ("murmur2_seed_len", 8, lambda d: murmur2_32(d, seed_len(d))),
    ("murmur3_seed_len", 8, lambda d: murmur3_32(d, seed_len(d))),
    *both_signs("hsieh", hsieh),
    ("sdbm", 8, sdbm),
    ("sdbm_avalanche", 8, lambda d: full_hash(sdbm(d))),
    ("djb2", 8, djb2),
    ("djb2_avalanche", 8, lambda d: full_hash(djb2(d))),
    ("wt6", 8, wt6),
    ("wt6_avalanche", 8, lambda d: full_hash(wt6(d))),
    ("crc32_avalanche", 8, lambda d: full_hash(zlib.crc32(d))),
    ("decimal32", 8, decimal32),
    ("decimal32_avalanche", 8, lambda d: full_hash(decimal32(d))),
    ("murmur2_64_envoy", 16, lambda d: murmur2_64(d, 0xC70F6907)),
    ("murmur2_64_furc", 16, lambda d: murmur2_64(d, 4193360111)),
    ("murmur2_64_rendezvous", 16, lambda d: murmur2_64(d, 2718281828)),
    ("kafka_murmur2", 8, lambda d: murmur2_32(d, 0x9747B28C) & 0x7FFFFFFF),
    ("java_string_hash", 8, java_string_hash),
    ("fnv1_32_utf16", 8, lambda d: fnv(utf16(d), 32, False)),
    ("fnv1a_32_utf16", 8, lambda d: fnv(utf16(d), 32, True)),
    ("fnv1_64_utf16", 8, lambda d: fnv(utf16(d), 64, False)),
    ("fnv1a_64_utf16", 8, lambda d: fnv(utf16(d), 64, True)),
    ("pymemcache_murmur3", 8, lambda d: murmur3_32(bytes(ord(c) & 255 for c in text(d)), 0)),
    ("elasticsearch_murmur3", 8, lambda d: murmur3_32(text(d).encode("utf-16-le"), 0)),
    ("sha1_be32", 8, lambda d: int(hashlib.sha1(d).hexdigest()[:8], 16)),
    ("crc32_first256", 8, lambda d: zlib.crc32(d[:256])),
    ("crc32_15bit_nonzero", 4, lambda d: crc32_15bit(d) or 1),
    ("crc32_31bit", 8, lambda d: zlib.crc32(d) & 0x7FFFFFFF),
    ("sha1_le32", 8, lambda d: int.from_bytes(hashlib.sha1(d).digest()[:4], "little")),
    ("md5_128", 32, lambda d: int(hashlib.md5(d).hexdigest(), 16)),
    ("ceph_rjenkins", 8, ceph_rjenkins),
    ("citus_text", 8, lambda d: postgres_bytes(d) ^ 0x80000000),
    ("spooky_v2_32", 8, lambda d: spooky_v2_32(d, 0xFACE2014)),
]
