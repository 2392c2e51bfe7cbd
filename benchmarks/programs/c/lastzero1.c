// fencepost: model=rc11 flags=-DN=5 expect=pass executions=64
// fencepost: model=sc flags=-DN=5 expect=pass executions=64
// lastzero(N) with its threads in the opposite order.
#define ORDER(i) (N - (i))
#include "lastzero.c"
