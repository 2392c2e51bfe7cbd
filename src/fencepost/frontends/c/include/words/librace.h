/* For programs whose plain accesses are spelled as calls: `store_32(&x, 1)` is `x = 1`. */
#ifndef FENCEPOST_LIBRACE_H
#define FENCEPOST_LIBRACE_H

#include <stdint.h>

#define FENCEPOST_PLAIN(bits) \
  static inline void store_##bits(void *where, uint##bits##_t value) { *(uint##bits##_t *)where = value; } \
  static inline uint##bits##_t load_##bits(const void *where) { return *(const uint##bits##_t *)where; }
FENCEPOST_PLAIN(8)
FENCEPOST_PLAIN(16)
FENCEPOST_PLAIN(32)
FENCEPOST_PLAIN(64)
#undef FENCEPOST_PLAIN

#endif
