// The standard exceptions, which are in the compiled part of both C++ libraries, and the functions that throw them.
typedef unsigned long size_t;
void *malloc(size_t);
void free(void *);
#define NAMED(name) __asm__(name)
#define GNU "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define LLVM "NSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE"

struct fencepost_type {
  char *kind;
  const char *name;
  struct fencepost_type *base;
};
struct fencepost_error {
  void **table;
  const char *text;
};
extern char ONE_BASE[] NAMED("_ZTVN10__cxxabiv120__si_class_type_infoE");
extern char NO_BASE[] NAMED("_ZTVN10__cxxabiv117__class_type_infoE");


// Constants last; other texts are copied, for they may be gone when somebody asks.
static int lasts(const char *text) { return (size_t)text < 0x100000000000; }

static const char *kept(const char *text) {
  if (lasts(text)) return text;
  size_t n = 0;
  while (text[n]) n++;
  char *copy = malloc(n + 1);
  for (size_t k = 0; k <= n; k++) copy[k] = text[k];
  return copy;
}

// Where the characters of a std::string are: libstdc++ keeps their address first; libc++ has short ones inside.
static const char *characters(const char *string, int llvm) {
  if (!llvm) return *(const char **)string;
  return *string & 1 ? *(const char **)(string + 16) : string + 1;
}

static void make(struct fencepost_error *e, void **table, const char *text) {
  e->table = table + 2;
  e->text = kept(text);
}

static void destroy(struct fencepost_error *e) {
  if (!lasts(e->text)) free((void *)e->text);
}

#define MADE(n, table, number) \
  void empty##number##n(struct fencepost_error *e) NAMED("_ZN" #n "C" #number "Ev"); \
  void empty##number##n(struct fencepost_error *e) { make(e, table, #n); } \
  void text##number##n(struct fencepost_error *e, const char *t) NAMED("_ZN" #n "C" #number "EPKc"); \
  void text##number##n(struct fencepost_error *e, const char *t) { make(e, table, t); } \
  void gnu##number##n(struct fencepost_error *e, const char *s) NAMED("_ZN" #n "C" #number "ERK" GNU); \
  void gnu##number##n(struct fencepost_error *e, const char *s) { make(e, table, characters(s, 0)); } \
  void llvm##number##n(struct fencepost_error *e, const char *s) NAMED("_ZN" #n "C" #number "ERK" LLVM); \
  void llvm##number##n(struct fencepost_error *e, const char *s) { make(e, table, characters(s, 1)); } \
  void copy##number##n(struct fencepost_error *e, struct fencepost_error *o) NAMED("_ZN" #n "C" #number "ERKS_"); \
  void copy##number##n(struct fencepost_error *e, struct fencepost_error *o) { make(e, table, o->text); }

// A class of exceptions: type, virtual functions, constructors, destructors. `text`: it has a text of its own.
#define ERROR(n, base_kind, base_type, has_text, shown) \
  struct fencepost_type type##n NAMED("_ZTI" #n) = {base_kind + 16, #n, base_type}; \
  extern void *table##n[] NAMED("_ZTV" #n); \
  const char *what##n(struct fencepost_error *e) NAMED("_ZNK" #n "4whatEv"); \
  const char *what##n(struct fencepost_error *e) { return has_text ? e->text : shown; } \
  void end2##n(struct fencepost_error *e) NAMED("_ZN" #n "D2Ev"); \
  void end2##n(struct fencepost_error *e) { if (has_text) destroy(e); } \
  void end1##n(struct fencepost_error *e) NAMED("_ZN" #n "D1Ev"); \
  void end1##n(struct fencepost_error *e) { end2##n(e); } \
  void end0##n(struct fencepost_error *e) NAMED("_ZN" #n "D0Ev"); \
  void end0##n(struct fencepost_error *e) { end2##n(e); free(e); } \
  void *table##n[] = {0, &type##n, end1##n, end0##n, what##n};


#define WITH_TEXT(n) MADE(n, table##n, 1) MADE(n, table##n, 2)
#define WITHOUT_TEXT(n, number) \
  void empty##number##n(struct fencepost_error *e) NAMED("_ZN" #n "C" #number "Ev"); \
  void empty##number##n(struct fencepost_error *e) { e->table = table##n + 2; }

ERROR(St9exception, NO_BASE, 0, 0, "std::exception")
WITHOUT_TEXT(St9exception, 1)
WITHOUT_TEXT(St9exception, 2)
ERROR(St13bad_exception, ONE_BASE, &typeSt9exception, 0, "std::bad_exception")
WITHOUT_TEXT(St13bad_exception, 1)
WITHOUT_TEXT(St13bad_exception, 2)
ERROR(St9bad_alloc, ONE_BASE, &typeSt9exception, 0, "std::bad_alloc")
WITHOUT_TEXT(St9bad_alloc, 1)
WITHOUT_TEXT(St9bad_alloc, 2)
ERROR(St20bad_array_new_length, ONE_BASE, &typeSt9bad_alloc, 0, "std::bad_array_new_length")
WITHOUT_TEXT(St20bad_array_new_length, 1)
WITHOUT_TEXT(St20bad_array_new_length, 2)
ERROR(St8bad_cast, ONE_BASE, &typeSt9exception, 0, "std::bad_cast")
WITHOUT_TEXT(St8bad_cast, 1)
WITHOUT_TEXT(St8bad_cast, 2)
ERROR(St10bad_typeid, ONE_BASE, &typeSt9exception, 0, "std::bad_typeid")
WITHOUT_TEXT(St10bad_typeid, 1)
WITHOUT_TEXT(St10bad_typeid, 2)
ERROR(St17bad_function_call, ONE_BASE, &typeSt9exception, 0, "bad_function_call")
WITHOUT_TEXT(St17bad_function_call, 1)
WITHOUT_TEXT(St17bad_function_call, 2)
ERROR(St12bad_weak_ptr, ONE_BASE, &typeSt9exception, 0, "bad_weak_ptr")
WITHOUT_TEXT(St12bad_weak_ptr, 1)
WITHOUT_TEXT(St12bad_weak_ptr, 2)
ERROR(St11logic_error, ONE_BASE, &typeSt9exception, 1, "")
WITH_TEXT(St11logic_error)
ERROR(St12domain_error, ONE_BASE, &typeSt11logic_error, 1, "")
WITH_TEXT(St12domain_error)
ERROR(St16invalid_argument, ONE_BASE, &typeSt11logic_error, 1, "")
WITH_TEXT(St16invalid_argument)
ERROR(St12length_error, ONE_BASE, &typeSt11logic_error, 1, "")
WITH_TEXT(St12length_error)
ERROR(St12out_of_range, ONE_BASE, &typeSt11logic_error, 1, "")
WITH_TEXT(St12out_of_range)
ERROR(St12future_error, ONE_BASE, &typeSt11logic_error, 1, "")
WITH_TEXT(St12future_error)
ERROR(St13runtime_error, ONE_BASE, &typeSt9exception, 1, "")
WITH_TEXT(St13runtime_error)
ERROR(St11range_error, ONE_BASE, &typeSt13runtime_error, 1, "")
WITH_TEXT(St11range_error)
ERROR(St14overflow_error, ONE_BASE, &typeSt13runtime_error, 1, "")
WITH_TEXT(St14overflow_error)
ERROR(St15underflow_error, ONE_BASE, &typeSt13runtime_error, 1, "")
WITH_TEXT(St15underflow_error)
ERROR(St12system_error, ONE_BASE, &typeSt13runtime_error, 1, "")
WITH_TEXT(St12system_error)

// --- functions that throw

void *allocate(size_t) NAMED("__cxa_allocate_exception");
void throw(void *, struct fencepost_type *, void (*)(struct fencepost_error *)) NAMED("__cxa_throw");

struct fencepost_coded { // a std::error_code follows the text of system_error and future_error
  struct fencepost_error error;
  long code;
  void *category;
};

static void raise(struct fencepost_type *type, void **table, void (*end)(struct fencepost_error *), const char *text,
                  int code) {
  struct fencepost_coded *e = allocate(sizeof *e);
  make(&e->error, table, text);
  e->code = code;
  e->category = 0;
  throw(e, type, end);
}

#define RAISES(mangled, parameters, n, text, code) \
  void raise_##n parameters NAMED(mangled); \
  void raise_##n parameters { raise(&type##n, table##n, end1##n, text, code); }
RAISES("_ZSt19__throw_logic_errorPKc", (const char *t), St11logic_error, t, 0)
RAISES("_ZSt20__throw_length_errorPKc", (const char *t), St12length_error, t, 0)
RAISES("_ZSt20__throw_out_of_rangePKc", (const char *t), St12out_of_range, t, 0)
RAISES("_ZSt24__throw_invalid_argumentPKc", (const char *t), St16invalid_argument, t, 0)
RAISES("_ZSt20__throw_domain_errorPKc", (const char *t), St12domain_error, t, 0)
RAISES("_ZSt21__throw_runtime_errorPKc", (const char *t), St13runtime_error, t, 0)
RAISES("_ZSt19__throw_range_errorPKc", (const char *t), St11range_error, t, 0)
RAISES("_ZSt22__throw_overflow_errorPKc", (const char *t), St14overflow_error, t, 0)
RAISES("_ZSt17__throw_bad_allocv", (void), St9bad_alloc, "", 0)
RAISES("_ZSt28__throw_bad_array_new_lengthv", (void), St20bad_array_new_length, "", 0)
RAISES("_ZSt25__throw_bad_function_callv", (void), St17bad_function_call, "", 0)
RAISES("_ZSt21__throw_bad_exceptionv", (void), St13bad_exception, "", 0)
RAISES("_ZSt16__throw_bad_castv", (void), St8bad_cast, "", 0)
RAISES("_ZSt18__throw_bad_typeidv", (void), St10bad_typeid, "", 0)
RAISES("_ZSt20__throw_future_errori", (int code), St12future_error, "std::future_error", code)
RAISES("_ZSt20__throw_system_errori", (int code), St12system_error, "std::system_error", code)
void raise_format(const char *t, ...) NAMED("_ZSt24__throw_out_of_range_fmtPKcz");
void raise_format(const char *t, ...) { raise_St12out_of_range(t); }
void raise_system(int code, const char *t) NAMED("_ZNSt3__120__throw_system_errorEiPKc");
void raise_system(int code, const char *t) { raise(&typeSt12system_error, tableSt12system_error, end1St12system_error, t, code); }
void raise_cast(void) NAMED("__cxa_bad_cast");
void raise_cast(void) { raise_St8bad_cast(); }
void raise_typeid(void) NAMED("__cxa_bad_typeid");
void raise_typeid(void) { raise_St10bad_typeid(); }
void raise_length(void) NAMED("__cxa_throw_bad_array_new_length");
void raise_length(void) { raise_St20bad_array_new_length(); }
