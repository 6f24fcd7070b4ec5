#!/usr/bin/python3
"""Writes src/hash/crush_ln_tables.inc: the three tables of CRUSH's logarithm, as Ceph ships them.

The first two follow from formulas (but for the last entry of the second). The third does not: most of its entries
carry a constant error, 44 have one of their own, and all of them are part of every placement, so those are listed.

    python3 tools/make_crush_ln.py > src/hash/crush_ln_tables.inc
"""

from decimal import Decimal, getcontext
from math import floor

getcontext().prec = 60

FINE_ERROR = 5493489664
FINE_EXCEPTIONS = {
    0: 0x0, 1: 0x2e2a60a00, 56: 0xa2b07f3458, 127: 0x16df6ca19bd, 134: 0x182b07f3458, 181: 0x209c06e6212,
    184: 0x212b07f3458, 188: 0x21d6a73a78f, 193: 0x22c23679b4e, 198: 0x23a2c3b0ea4, 199: 0x23d13ee805b,
    200: 0x24035e9221f, 203: 0x247ed646bfe, 207: 0x25492644d65, 210: 0x25d13ee805b, 212: 0x26296453882,
    216: 0x26d32f798a9, 222: 0x27e6580aecb, 225: 0x287bdbf5255, 227: 0x28d13ee805b, 228: 0x29035e9221f,
    229: 0x29296453882, 231: 0x29902a37aab, 233: 0x29deabd1083, 235: 0x2a4c7605d61, 236: 0x2a7bdbf5255,
    237: 0x2a96056dafc, 238: 0x2ac3daf14ef, 239: 0x2af1b019eca, 240: 0x2b296453882, 241: 0x2b5d022d80f,
    243: 0x2ba9012e713, 244: 0x2bd6d4901cc, 245: 0x2c04a796cf6, 246: 0x2c327a428a6, 247: 0x2c61a5e8f4c,
    248: 0x2c8e1e891f6, 249: 0x2cbbf023fc2, 250: 0x2ce9c163e6e, 251: 0x2d179248e13, 252: 0x2d4562d2ec6,
    253: 0x2d73330209d, 254: 0x2da102d63b0, 255: 0x2dced24f814,
}


def log2_scaled(numerator, denominator):
    """2^48 * log2(numerator / denominator)"""
    return (Decimal(numerator) / Decimal(denominator)).ln() / Decimal(2).ln() * 2**48


def coarse_log(k):
    return 0xFFFF00000000 if k == 128 else floor(log2_scaled(128 + k, 128))


def fine_log(k):
    return FINE_EXCEPTIONS.get(k, floor(log2_scaled(32768 + k, 32768) + FINE_ERROR))


def table(name, comment, values):
    print(f"\n/// {comment}\ninline constexpr std::uint64_t {name}[{len(values)}] = {{")
    texts = [f"{value:#x}," for value in values]
    for i in range(0, len(texts), 7):
        print("    " + " ".join(texts[i:i + 7]))
    print("};")


print("// Written by tools/make_crush_ln.py; do not edit.\n#pragma once\n\n#include <cstdint>\n\nnamespace arcwise {")
table("crush_reciprocals", "2^48 / (1 + k / 128), rounded up.", [-(-2**55 // (128 + k)) for k in range(129)])
table("crush_coarse_logs", "2^48 * log2(1 + k / 128), rounded down; the last entry is smaller.",
      [coarse_log(k) for k in range(129)])
table("crush_fine_logs", "About 2^48 * log2(1 + k / 32768).", [fine_log(k) for k in range(256)])
print("\n}  // namespace arcwise")
