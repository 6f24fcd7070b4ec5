#!/usr/bin/python3
"""Writes src/hash/log2_table.inc: the binary logarithm of 1 + i/1024, in units of 2^-48.

    python3 tools/make_log2_table.py > src/hash/log2_table.inc
"""

from decimal import Decimal, ROUND_HALF_EVEN, getcontext

getcontext().prec = 60


def entry(i):
    exact = (1 + Decimal(i) / 1024).ln() / Decimal(2).ln() * 2**48
    return int(exact.to_integral_value(ROUND_HALF_EVEN))


print("// Written by tools/make_log2_table.py; do not edit.\n#pragma once\n\n#include <cstdint>\n\nnamespace arcwise {")
print("inline constexpr std::uint64_t log2_table[1025] = {")
for start in range(0, 1025, 8):
    print("    " + ", ".join(f"{entry(i):#x}" for i in range(start, min(start + 8, 1025))) + ",")
print("};\n}  // namespace arcwise")
