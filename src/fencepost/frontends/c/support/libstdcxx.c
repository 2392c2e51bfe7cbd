// What libstdc++ keeps in its compiled part: hashing, tables of unordered containers, lists, futures, categories.
typedef unsigned long size_t;
#define NAMED(name) __asm__(name)

size_t hash_bytes(const unsigned char *p, size_t n, size_t seed) NAMED("_ZSt11_Hash_bytesPKvmm");
size_t hash_bytes(const unsigned char *p, size_t n, size_t seed) {
  size_t h = seed ^ n;
  for (size_t k = 0; k < n; k++) h = (h ^ p[k]) * 0x9E3779B97F4A7C15;
  return h ^ h >> 32;
}

struct fencepost_policy {
  float most;
  size_t next;
};
struct fencepost_rehash {
  _Bool wanted;
  size_t buckets;
};

static size_t prime_from(size_t n) {
  for (;; n++) {
    size_t k = 2;
    while (k * k <= n && n % k) k++;
    if (n > 1 && k * k > n) return n;
  }
}

size_t next_bucket(struct fencepost_policy *p, size_t n) NAMED("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm");
size_t next_bucket(struct fencepost_policy *p, size_t n) {
  size_t found = n == 0 ? 1 : prime_from(n);
  p->next = (size_t)(found * p->most);
  return found;
}

struct fencepost_rehash need_rehash(struct fencepost_policy *p, size_t buckets, size_t elements, size_t more)
    NAMED("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm");
struct fencepost_rehash need_rehash(struct fencepost_policy *p, size_t buckets, size_t elements, size_t more) {
  struct fencepost_rehash none = {0, 0}, some = {1, 0};
  size_t all = elements + more;
  if (all <= p->next) return none;
  if (!p->next && all < 11) all = 11;
  size_t least = (size_t)(all / p->most);
  if (least < buckets) {
    p->next = (size_t)(buckets * p->most);
    return none;
  }
  some.buckets = next_bucket(p, least + 1 > 2 * buckets ? least + 1 : 2 * buckets);
  return some;
}

struct fencepost_node {
  struct fencepost_node *next, *before;
};

// std::list::splice: takes [first, last) out and puts it before `at`
void list_transfer(struct fencepost_node *at, struct fencepost_node *first, struct fencepost_node *last)
    NAMED("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
void list_transfer(struct fencepost_node *at, struct fencepost_node *first, struct fencepost_node *last) {
  if (at == last) return;
  struct fencepost_node *end = last->before;
  first->before->next = last;
  last->before = first->before;
  at->before->next = first;
  first->before = at->before;
  end->next = at;
  at->before = end;
}

static void relink(struct fencepost_node *x, struct fencepost_node *old) {
  if (x->next == old)
    x->next = x->before = x;
  else
    x->next->before = x->before->next = x;
}

void list_swap(struct fencepost_node *x, struct fencepost_node *y) NAMED("_ZNSt8__detail15_List_node_base4swapERS0_S1_");
void list_swap(struct fencepost_node *x, struct fencepost_node *y) {
  struct fencepost_node other = *x;
  *x = *y;
  *y = other;
  relink(x, y);
  relink(y, x);
}

void list_reverse(struct fencepost_node *x) NAMED("_ZNSt8__detail15_List_node_base10_M_reverseEv");
void list_reverse(struct fencepost_node *x) {
  struct fencepost_node *at = x;
  do {
    struct fencepost_node *next = at->next;
    at->next = at->before;
    at->before = next;
    at = next;
  } while (at != x);
}

// The result of a future: a table of virtual functions, then the exception where there is one.
struct fencepost_result {
  void *table, *exception;
};
void release(void **exception) NAMED("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
void result_made(struct fencepost_result *r) NAMED("_ZNSt13__future_base12_Result_baseC2Ev");
void result_made(struct fencepost_result *r) { r->exception = 0; }
void result_destroyed(struct fencepost_result *r) NAMED("_ZNSt13__future_base12_Result_baseD2Ev");
void result_destroyed(struct fencepost_result *r) {
  if (r->exception) release(&r->exception);
}

// Categories of error codes only differ from one another.
static long future, generic, system;
void *future_category(void) NAMED("_ZSt15future_categoryv");
void *future_category(void) { return &future; }
void *generic_category(void) NAMED("_ZNSt3_V216generic_categoryEv");
void *generic_category(void) { return &generic; }
void *system_category(void) NAMED("_ZNSt3_V215system_categoryEv");
void *system_category(void) { return &system; }

unsigned random_value(void *device) NAMED("_ZNSt13random_device9_M_getvalEv");
unsigned random_value(void *device) { return 42; }
