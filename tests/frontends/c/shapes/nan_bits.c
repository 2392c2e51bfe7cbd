#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <math.h>

static uint32_t bits(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}
static uint64_t wide(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return u;
}
static float number(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}

int main(void) {
  volatile float zero = 0, signalling = number(0x7fa00001), quiet = number(0xffc00123);
  assert(bits(signalling) == 0x7fa00001);
  assert(bits(zero / zero) == 0xffc00000);
  assert(bits(-(zero / zero)) == 0x7fc00000);
  assert(bits(signalling + quiet) == 0x7fe00001);
  assert(bits(1.0f * quiet) == 0xffc00123);
  assert(wide((double)quiet) == 0xfff8002460000000);
  assert(bits((float)(double)quiet) == 0xffc00123);
  assert(wide(sqrt(-1.0)) == 0xfff8000000000000);
  volatile double d = zero / zero;
  assert(wide(d - d) == 0xfff8000000000000);
}
