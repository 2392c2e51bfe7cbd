#include <math.h>
int main(int argc, char **argv) {
  volatile double x = argc;
  return lgamma(x) > 2;
}
