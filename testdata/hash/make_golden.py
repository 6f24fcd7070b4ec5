#!/usr/bin/python3
"""Writes golden.txt: every key hash of prefixes of one fixed buffer, from sources other than Arcwise's own code.

xxHash comes from Debian's libxxhash, the digests from hashlib (OpenSSL), CRC-32 from zlib, CRC-16 from binascii
and once more bit by bit; MurmurHash3 and FNV-1a are written out below from their definitions, the hashes of other
systems in other_systems.py.

    /usr/bin/python3 testdata/hash/make_golden.py > testdata/hash/golden.txt
"""

import binascii
import ctypes
import hashlib
import struct
import sys
import zlib

import other_systems

LENGTHS = range(301)
MASK = (1 << 64) - 1

xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
xxhash.XXH64.restype = ctypes.c_uint64
xxhash.XXH32.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]
xxhash.XXH32.restype = ctypes.c_uint32


def rotl(x, n):
    return ((x << n) | (x >> (64 - n))) & MASK


def fmix(k):
    k = ((k ^ (k >> 33)) * 0xFF51AFD7ED558CCD) & MASK
    k = ((k ^ (k >> 33)) * 0xC4CEB9FE1A85EC53) & MASK
    return k ^ (k >> 33)


def murmur3_words(data, signed_tail):
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = 0
    whole = len(data) // 16 * 16
    for k1, k2 in struct.iter_unpack("<QQ", data[:whole]):
        h1 ^= rotl(k1 * c1 & MASK, 31) * c2 & MASK
        h1 = (rotl(h1, 27) + h2) * 5 + 0x52DCE729 & MASK
        h2 ^= rotl(k2 * c2 & MASK, 33) * c1 & MASK
        h2 = (rotl(h2, 31) + h1) * 5 + 0x38495AB5 & MASK
    k1 = k2 = 0
    for i, byte in enumerate(data[whole:]):
        value = byte - 256 if signed_tail and byte > 127 else byte
        if i < 8:
            k1 ^= (value << 8 * i) & MASK
        else:
            k2 ^= (value << 8 * (i - 8)) & MASK
    # A word of zero mixes to zero, so that a tail too short for it needs no case of its own.
    h2 ^= rotl(k2 * c2 & MASK, 33) * c1 & MASK
    h1 ^= rotl(k1 * c1 & MASK, 31) * c2 & MASK
    h1 ^= len(data)
    h2 ^= len(data)
    h1 = h1 + h2 & MASK
    h2 = h2 + h1 & MASK
    h1, h2 = fmix(h1), fmix(h2)
    h1 = h1 + h2 & MASK
    h2 = h2 + h1 & MASK
    return h1, h2


def murmur3_cassandra(data):
    """The token as Cassandra means it, a signed number, and from that its place in ring order."""
    minimum, maximum = -(1 << 63), (1 << 63) - 1
    token = minimum
    if data:
        h1 = murmur3_words(data, signed_tail=True)[0]
        token = h1 - (1 << 64) if h1 >> 63 else h1
        if token == minimum:
            token = maximum
    return token - minimum


def fnv1a_64(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & MASK
    return h


def crc16(data):
    crc = 0
    for byte in data:
        for bit in range(7, -1, -1):
            top = crc >> 15
            crc = crc << 1 & 0xFFFF
            if top != byte >> bit & 1:
                crc ^= 0x1021
    assert crc == binascii.crc_hqx(data, 0)
    return crc


def words_in_a_row(words):
    return words[0] << 64 | words[1]


HASHES = [
    ("xxh3", 16, lambda d: xxhash.XXH3_64bits(d, len(d))),
    ("xxh64", 16, lambda d: xxhash.XXH64(d, len(d), 0)),
    ("murmur3_x64_128", 16, lambda d: murmur3_words(d, False)[0]),
    ("md5", 16, lambda d: int(hashlib.md5(d).hexdigest()[:16], 16)),
    ("sha1", 16, lambda d: int(hashlib.sha1(d).hexdigest()[:16], 16)),
    ("sha256", 16, lambda d: int(hashlib.sha256(d).hexdigest()[:16], 16)),
    ("crc32", 8, zlib.crc32),
    ("crc16", 4, crc16),
    ("fnv1a_64", 16, fnv1a_64),
    ("md5_ketama", 8, lambda d: struct.unpack("<I", hashlib.md5(d).digest()[:4])[0]),
    ("murmur3_cassandra", 16, murmur3_cassandra),
    ("murmur3_words", 32, lambda d: words_in_a_row(murmur3_words(d, False))),
    ("murmur3_signed_tail_words", 32, lambda d: words_in_a_row(murmur3_words(d, True))),
    *other_systems.HASHES,
    ("xxh32_seed_7", 8, lambda d: xxhash.XXH32(d, len(d), 7)),
]


def main():
    buffer = bytes((i * 131 + 17) & 255 for i in range(LENGTHS[-1]))
    print("# hash, length of the prefix of the buffer (byte i is (i * 131 + 17) mod 256), value; see make_golden.py")
    for name, digits, function in HASHES:
        for length in LENGTHS:
            print(f"{name} {length} {function(buffer[:length]):0{digits}x}")


if __name__ == "__main__":
    sys.exit(main())
