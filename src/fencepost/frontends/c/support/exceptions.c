// What C++ exceptions are made of (the Itanium ABI, without its stack unwinder: see exceptions.py).
typedef unsigned long size_t;
void *malloc(size_t);
void free(void *);
#define NAMED(name) __asm__(name)

// --- types: every type that is thrown or caught has one of these objects

struct fencepost_type {
  char *kind; // the table of the class of type_info that it is, behind its two first words
  const char *name;
};
struct fencepost_class { // of one base, which comes first
  struct fencepost_type type;
  struct fencepost_type *base;
};
struct fencepost_classes { // of several bases
  struct fencepost_type type;
  unsigned flags, count;
  struct { struct fencepost_type *base; long offset; } bases[1];
};
struct fencepost_pointer {
  struct fencepost_type type;
  unsigned flags;
  struct fencepost_type *to;
};
extern char ONE_BASE[] NAMED("_ZTVN10__cxxabiv120__si_class_type_infoE");
extern char MANY_BASES[] NAMED("_ZTVN10__cxxabiv121__vmi_class_type_infoE");
extern char POINTER[] NAMED("_ZTVN10__cxxabiv119__pointer_type_infoE");

// The address of the part of type `to` in an object of type `from`; null where it has none.
static char *part(struct fencepost_type *from, struct fencepost_type *to, char *object) {
  if (from == to) return object;
  if (from->kind == ONE_BASE + 16) return part(((struct fencepost_class *)from)->base, to, object);
  if (from->kind == MANY_BASES + 16) {
    struct fencepost_classes *many = (struct fencepost_classes *)from;
    for (unsigned k = 0; k < many->count; k++) {
      long offset = many->bases[k].offset >> 8;
      if (many->bases[k].offset & 1) offset = *(long *)(*(char **)object + offset); // virtual: the object says where
      char *found = part(many->bases[k].base, to, object + offset);
      if (found) return found;
    }
  }
  return 0;
}

// dynamic_cast: from the whole object down to the part that is wanted
void *cast(char *object, struct fencepost_type *from, struct fencepost_type *to, long hint) NAMED("__dynamic_cast");
void *cast(char *object, struct fencepost_type *from, struct fencepost_type *to, long hint) {
  char **table = *(char ***)object;
  char *whole = object + (long)table[-2];
  return part((struct fencepost_type *)table[-1], to, whole);
}

// types of the language itself, and pointers to them
extern char BUILTIN[] NAMED("_ZTVN10__cxxabiv123__fundamental_type_infoE");
#define BUILTINS(name) struct fencepost_type name = {BUILTIN + 16, &#name[4]}
BUILTINS(_ZTIv);
BUILTINS(_ZTIb);
BUILTINS(_ZTIc);
BUILTINS(_ZTIa);
BUILTINS(_ZTIh);
BUILTINS(_ZTIw);
BUILTINS(_ZTIs);
BUILTINS(_ZTIt);
BUILTINS(_ZTIi);
BUILTINS(_ZTIj);
BUILTINS(_ZTIl);
BUILTINS(_ZTIm);
BUILTINS(_ZTIx);
BUILTINS(_ZTIy);
BUILTINS(_ZTIf);
BUILTINS(_ZTId);
BUILTINS(_ZTIDn);
#define POINTERS(name, flags, to) \
  struct fencepost_pointer name = {{POINTER + 16, #name}, flags, &to}
POINTERS(_ZTIPc, 0, _ZTIc);
POINTERS(_ZTIPKc, 1, _ZTIc);
POINTERS(_ZTIPi, 0, _ZTIi);
POINTERS(_ZTIPKi, 1, _ZTIi);
POINTERS(_ZTIPv, 0, _ZTIv);
POINTERS(_ZTIPKv, 1, _ZTIv);

// --- exceptions

struct fencepost_thrown {
  struct fencepost_type *type;
  void (*destroy)(void *);
  struct fencepost_thrown *primary; // itself, or what it is another throw of
  struct fencepost_thrown *below;   // caught before it by the same thread
  char *object, *caught_as;
  long handlers, rethrown, references;
  long unused;
};
_Thread_local struct fencepost_thrown *flying NAMED("fencepost_flying");
static _Thread_local struct fencepost_thrown *caught;
static _Thread_local int uncaught;
void terminate(void) NAMED("_ZSt9terminatev");

static struct fencepost_thrown *of(void *object) { return (struct fencepost_thrown *)object - 1; }

static struct fencepost_thrown *begin(struct fencepost_thrown *t, struct fencepost_thrown *primary, char *object) {
  t->type = primary->type;
  t->primary = primary;
  t->below = 0;
  t->object = t->caught_as = object;
  t->handlers = t->rethrown = 0;
  return t;
}

void *allocate(size_t n) NAMED("__cxa_allocate_exception");
void *allocate(size_t n) {
  struct fencepost_thrown *t = malloc(n + sizeof(struct fencepost_thrown));
  return t + 1;
}

void unallocate(void *object) NAMED("__cxa_free_exception");
void unallocate(void *object) { free(of(object)); }

void *initialise(void *object, struct fencepost_type *type, void (*destroy)(void *)) NAMED("__cxa_init_primary_exception");
void *initialise(void *object, struct fencepost_type *type, void (*destroy)(void *)) {
  struct fencepost_thrown *t = of(object);
  t->type = type;
  t->destroy = destroy;
  __atomic_store_n(&t->references, 0, __ATOMIC_RELAXED);
  return begin(t, t, object);
}

static void add(struct fencepost_thrown *t) { __atomic_fetch_add(&t->references, 1, __ATOMIC_RELAXED); }

static void release(struct fencepost_thrown *t) {
  struct fencepost_thrown *primary = t->primary;
  if (primary != t) free(t);
  if (__atomic_fetch_sub(&primary->references, 1, __ATOMIC_ACQ_REL) != 1) return;
  if (primary->destroy) primary->destroy(primary->object);
  free(primary);
}

static void let_fly(struct fencepost_thrown *t) {
  flying = t;
  uncaught++;
}

void throw(void *object, struct fencepost_type *type, void (*destroy)(void *)) NAMED("__cxa_throw");
void throw(void *object, struct fencepost_type *type, void (*destroy)(void *)) {
  struct fencepost_thrown *t = initialise(object, type, destroy);
  add(t);
  let_fly(t);
}

void rethrow(void) NAMED("__cxa_rethrow");
void rethrow(void) {
  if (!caught) terminate();
  caught->rethrown = 1;
  let_fly(caught);
}

// Whether a handler of this type takes it; null is the type of `catch (...)`.
int fits(struct fencepost_thrown *t, struct fencepost_type *wanted) NAMED("fencepost_fits");
int fits(struct fencepost_thrown *t, struct fencepost_type *wanted) {
  t->caught_as = t->object;
  if (!wanted) return 1;
  if (wanted->kind == POINTER + 16 && t->type->kind == POINTER + 16) {
    struct fencepost_pointer *from = (struct fencepost_pointer *)t->type, *to = (struct fencepost_pointer *)wanted;
    char *value = *(char **)t->object;
    if (from->flags & ~to->flags & 7) return 0; // a handler may add const, and not take it away
    char *found = to->to == &_ZTIv ? value : part(from->to, to->to, value);
    t->caught_as = value ? found : value;
    return from->to == to->to || to->to == &_ZTIv || found != 0;
  }
  char *found = part(t->type, wanted, t->object);
  t->caught_as = found;
  if (found && wanted->kind == POINTER + 16) t->caught_as = *(char **)found;
  return found != 0;
}

void *begin_catch(struct fencepost_thrown *t) NAMED("__cxa_begin_catch");
void *begin_catch(struct fencepost_thrown *t) {
  t->rethrown = 0;
  t->handlers++;
  uncaught--;
  if (caught != t) {
    t->below = caught;
    caught = t;
  }
  return t->caught_as;
}

void *exception_pointer(struct fencepost_thrown *t) NAMED("__cxa_get_exception_ptr");
void *exception_pointer(struct fencepost_thrown *t) { return t->caught_as; }

void end_catch(void) NAMED("__cxa_end_catch");
void end_catch(void) {
  struct fencepost_thrown *t = caught;
  if (!t || --t->handlers > 0) return;
  caught = t->below;
  if (!t->rethrown) release(t);
}

_Bool any_uncaught(void) NAMED("_ZSt18uncaught_exceptionv");
_Bool any_uncaught(void) { return uncaught > 0; }
int count_uncaught(void) NAMED("_ZSt19uncaught_exceptionsv");
int count_uncaught(void) { return uncaught; }

// --- std::exception_ptr: the address of the object

static void hold(void *object) {
  if (object) add(of(object)->primary);
}

void pointer_current(void **to) NAMED("_ZSt17current_exceptionv");
void pointer_current(void **to) {
  *to = caught ? caught->primary->object : 0;
  hold(*to);
}

void pointer_release(void **p) NAMED("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
void pointer_release(void **p) {
  if (*p) release(of(*p));
  *p = 0;
}

void pointer_destroy(void **p) NAMED("_ZNSt13exception_ptrD1Ev");
void pointer_destroy(void **p) { pointer_release(p); }
void pointer_destroy_gnu(void **p) NAMED("_ZNSt15__exception_ptr13exception_ptrD1Ev");
void pointer_destroy_gnu(void **p) { pointer_release(p); }

void pointer_hold(void **p) NAMED("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
void pointer_hold(void **p) { hold(*p); }

void pointer_make(void **p, void *object) NAMED("_ZNSt15__exception_ptr13exception_ptrC1EPv");
void pointer_make(void **p, void *object) {
  *p = object;
  hold(object);
}

void pointer_from(void **p, void *object) NAMED("_ZNSt13exception_ptr31__from_native_exception_pointerEPv");
void pointer_from(void **p, void *object) { pointer_make(p, object); }

void pointer_copy(void **p, void **other) NAMED("_ZNSt13exception_ptrC1ERKS_");
void pointer_copy(void **p, void **other) { pointer_make(p, *other); }
void pointer_copy_gnu(void **p, void **other) NAMED("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_");
void pointer_copy_gnu(void **p, void **other) { pointer_make(p, *other); }

void *pointer_assign(void **p, void **other) NAMED("_ZNSt13exception_ptraSERKS_");
void *pointer_assign(void **p, void **other) {
  void *old = *p;
  pointer_make(p, *other);
  if (old) release(of(old));
  return p;
}

// Another throw of the same object, which other threads may be handling: it has its own record.
void pointer_rethrow(void **p) NAMED("_ZSt17rethrow_exceptionSt13exception_ptr");
void pointer_rethrow(void **p) {
  struct fencepost_thrown *primary = of(*p), *t = malloc(sizeof *t);
  begin(t, primary, primary->object);
  add(primary);
  let_fly(t);
}
void pointer_rethrow_gnu(void **p) NAMED("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");
void pointer_rethrow_gnu(void **p) { pointer_rethrow(p); }
