#include <math.h>
int main(int argc, char **argv) {
  volatile double x = argc;
  return sqrt(x) > 2;
}
