// fencepost: model=rc11 expect=pass executions=2
// fencepost: model=tso expect=pass executions=2
// fencepost: model=rc11 flags=-DDROP=rlx expect=fail kind=race line=17
// fencepost: model=rc11 flags=-DNO_FENCE expect=fail kind=race line=17
// Reference counting: the last one to drop it destroys the object. Drops must release, the last one must acquire.
#include "../check.h"
#ifndef DROP
#define DROP rel
#endif
struct object { atomic_int references; int content; };
static struct object *object;
static void drop(struct object *o) {
  if (fsub(&o->references, 1, DROP) == 1) {
#ifndef NO_FENCE
    fence(acq);
#endif
    o->content = -1;
    free(o);
  }
}
static void *thread(void *arg) {
  int seen = object->content;
  assert(seen == 7);
  drop(object);
  return NULL;
}
int main(void) {
  object = malloc(sizeof *object);
  atomic_init(&object->references, 2);
  object->content = 7;
  run(thread, 2);
}
