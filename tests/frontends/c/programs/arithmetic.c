// Integers of every width, signs, shifts, conversions, floats: checked against what the C standard says.
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

static int8_t i8 = -128;
static uint16_t u16 = 65535;
static int64_t i64 = INT64_MIN;

static int floor_div(int a, int b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static void integers(void) {
  assert(i8 < 0 && (uint8_t)i8 == 128 && i8 - 1 == -129 && (int8_t)(i8 - 1) == 127);
  u16++;
  assert(u16 == 0);
  assert(i64 < 0 && (uint64_t)i64 == 1ull << 63);
  assert(-7 / 2 == -3 && -7 % 2 == -1 && floor_div(-7, 2) == -4);
  volatile int a = -7, b = 2;
  assert(a / b == -3 && a % b == -1 && (unsigned)a / 2u == 2147483644u);
  assert((a >> 1) == -4 && ((unsigned)a >> 1) == 0x7ffffffcu && (a << 2) == -28);
  volatile unsigned char c = 200;
  assert(c + 100 == 300 && (unsigned char)(c + 100) == 44 && (signed char)c == -56);
  volatile int64_t wide = -1;
  assert((int32_t)wide == -1 && (uint32_t)wide == 0xffffffffu && (wide & 0xff) == 255);
  volatile bool yes = 5;
  assert(yes == 1 && !yes == 0 && (yes ^ 1) == 0);
  assert((a < 0 ? 10 : 20) == 10 && (a > 0 || b > 0) && !(a > 0 && b > 0));
}

static void builtins(void) {
  volatile unsigned x = 0x00f0u;
  assert(__builtin_popcount(x) == 4 && __builtin_ctz(x) == 4 && __builtin_clz(x) == 24);
  volatile uint64_t y = 1ull << 40;
  assert(__builtin_popcountll(y - 1) == 40 && __builtin_ctzll(y) == 40 && __builtin_clzll(y) == 23);
  assert(__builtin_bswap32(0x11223344u + (x & 0)) == 0x44332211u);
  int r;
  volatile int big = INT_MAX, small = 3;
  assert(__builtin_add_overflow(big, small, &r) && !__builtin_add_overflow(small, small, &r) && r == 6);
  assert(__builtin_mul_overflow(big, small, &r) && !__builtin_mul_overflow(small, small, &r) && r == 9);
  uint64_t w;
  volatile uint64_t huge = UINT64_MAX;
  assert(__builtin_mul_overflow(huge, 2ull, &w) && !__builtin_mul_overflow(huge, 1ull, &w) && w == huge);
  assert(__builtin_add_overflow(huge, 1ull, &w) && w == 0 && __builtin_sub_overflow(1ull, huge, &w) && w == 2);
  volatile int64_t low = INT64_MIN;
  int64_t v;
  assert(__builtin_sub_overflow(low, (int64_t)1, &v) && !__builtin_add_overflow(low, (int64_t)1, &v));
}

static float half = 0.5f;
static double third = 1.0 / 3;

static void floats(void) {
  volatile float f = 1.5f;
  volatile double d = 2.25;
  assert(f * d == 3.375 && (int)(f * d) == 3 && (int)-d == -2 && f + half == 2.0f);
  assert(third * 3 > 0.999 && third * 3 < 1.001 && -d < 0 && !(d != d));
  volatile double zero = 0;
  volatile double nan = zero / zero, inf = 1 / zero;
  assert(nan != nan && !(nan < 1) && !(nan >= 1) && inf > 1e308 && -inf < 0);
  volatile int i = -3;
  volatile unsigned u = 4000000000u;
  assert((double)i == -3.0 && (float)u == 4e9f && (unsigned)(double)u == u && (float)d == 2.25f);
  assert((d > 1 && d < 3) && d >= 2.25 && d <= 2.25 && !(d > 2.25) && d != 2);
}

int main(void) {
  integers();
  builtins();
  floats();
  return 0;
}
