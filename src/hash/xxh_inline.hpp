// xxHash whole, to be inlined: for the few places where a call would cost as much as the hash.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>
