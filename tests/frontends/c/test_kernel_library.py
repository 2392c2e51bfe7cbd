"""Programs with <fencepost/kernel.h>: what the kernel builds on its primitives. Each right, and with its bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import Answer, check

_HEAD = """#include <fencepost/kernel.h>
#include <pthread.h>
#define FIRST void *first(void *u)
#define SECOND void *second(void *u)
"""
_MAIN = """
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  END
}
"""
#: OK(x, y) is x in the version that is right and y in the other; then what holds at the end, and the kind of the error.
PROGRAMS = {
    "sequence count": (
        "static seqcount_t seq; static int x, y;"
        "FIRST { write_seqcount_begin(&seq); WRITE_ONCE(x, 1); WRITE_ONCE(y, 1); write_seqcount_end(&seq); return 0; }"
        "SECOND { unsigned s; int v, w; do { s = read_seqcount_begin(&seq); v = READ_ONCE(x); w = READ_ONCE(y); }"
        " while (OK(read_seqcount_retry(&seq, s), 0)); assert(v == w); return 0; }", "", "assertion"),
    "sequence lock": (
        "static DEFINE_SEQLOCK(s); static int x, y;"
        "FIRST { write_seqlock(&s); WRITE_ONCE(x, x + 1); WRITE_ONCE(y, y + 1); write_sequnlock(&s); return 0; }"
        "SECOND { unsigned n; int v, w; do { n = read_seqbegin(&s); v = READ_ONCE(x); w = READ_ONCE(y); }"
        " while (OK(read_seqretry(&s, n), READ_ONCE(s.seqcount.sequence) != n)); assert(v == w); return 0; }",
        "", "assertion"),
    "kref": (
        "struct obj { struct kref ref; int v; }; static struct obj *o;"
        "static void gone(struct kref *k) { struct obj *p = container_of(k, struct obj, ref); p->v = 0; kfree(p); }"
        "__attribute__((constructor)) static void begin(void) { o = kmalloc(sizeof *o, GFP_KERNEL);"
        " kref_init(&o->ref); kref_get(&o->ref); o->v = 1; }"
        "static void put(struct kref *k) { OK((void)kref_put(k, gone),"
        " if (!atomic_dec_return_relaxed(&k->refcount.refs)) gone(k)); }"
        "FIRST { long v = o->v; put(&o->ref); return (void *)v; }"
        "SECOND { return first(u); }", "", "race"),
    "refcount under RCU": (
        "struct obj { refcount_t ref; int v; }; static struct obj *o;"
        "__attribute__((constructor)) static void begin(void) { o = kzalloc(sizeof *o, GFP_KERNEL);"
        " refcount_set(&o->ref, 1); }"
        "FIRST { rcu_read_lock(); struct obj *p = rcu_dereference(o); bool got = p && refcount_inc_not_zero(&p->ref);"
        " rcu_read_unlock(); if (got && refcount_dec_and_test(&p->ref)) kfree(p); return 0; }"
        "SECOND { struct obj *p = o; rcu_assign_pointer(o, NULL); if (refcount_dec_and_test(&p->ref)) {"
        " OK(synchronize_rcu(), (void)0); kfree(p); } return 0; }", "", "race"),
    "completion": (
        "static DECLARE_COMPLETION(done); static int x;"
        "FIRST { x = 1; OK(complete(&done), atomic_inc(&done.done)); return 0; }"
        "SECOND { wait_for_completion(&done); int v = x; assert(v == 1); return 0; }", "", "assertion"),
    "bit lock": (
        "static unsigned long word; static int n;"
        "FIRST { while (test_and_set_bit_lock(0, &word)) cpu_relax(); n++;"
        " OK(clear_bit_unlock(0, &word), clear_bit(0, &word)); return 0; }"
        "SECOND { return first(u); }", "assert(n == 2);", "race"),
    "bits and fences": (
        "static DECLARE_BITMAP(bits, 70); static int x, r, s;"
        "FIRST { set_bit(66, bits); OK(smp_mb__after_atomic(), (void)0); r = READ_ONCE(x); return 0; }"
        "SECOND { WRITE_ONCE(x, 1); smp_mb(); s = test_bit(66, bits); return 0; }", "assert(r || s);", "assertion"),
    "one of two sets a bit": (
        "static unsigned long word; static atomic_t n;"
        "FIRST { bool had = OK(test_and_set_bit(5, &word), test_bit(5, &word)); set_bit(5, &word);"
        " if (!had) atomic_inc(&n); return 0; }"
        "SECOND { return first(u); }", "assert(atomic_read(&n) == 1);", "assertion"),
    "waiting for a condition": (
        "static int flag, x;"
        "FIRST { x = 1; smp_store_release(&flag, 2); return 0; }"
        "SECOND { int f = OK(smp_cond_load_acquire(&flag, VAL > 1), smp_cond_load_relaxed(&flag, VAL > 1));"
        " int v = x; assert(f == 2 && v == 1); return 0; }", "", "assertion"),
    "mutex": (
        "static DEFINE_MUTEX(m); static int n;"
        "FIRST { if (OK(mutex_trylock(&m), 1)) { n++; OK(mutex_unlock(&m), (void)0); } return 0; }"
        "SECOND { mutex_lock(&m); n++; mutex_unlock(&m); return 0; }", "assert(n >= 1);", "race"),
    "list": (
        "struct item { struct list_head l; int v; }; static LIST_HEAD(head); static DEFINE_SPINLOCK(lock);"
        "static struct item one = {.v = 1}, two = {.v = 2};"
        "static void put(struct item *i) { unsigned long flags; OK(spin_lock_irqsave(&lock, flags),"
        " (void)0); list_add_tail(&i->l, &head); OK(spin_unlock_irqrestore(&lock, flags), (void)0); }"
        "FIRST { put(&one); return 0; } SECOND { put(&two); return 0; }",
        "int sum = 0; struct item *i; list_for_each_entry(i, &head, l) sum += i->v; assert(sum == 3);", "race"),
    "list under RCU": (
        "struct item { struct list_head l; int v; }; static LIST_HEAD(head); static struct item one;"
        "FIRST { one.v = 7; OK(list_add_rcu, list_add)(&one.l, &head); return 0; }"
        "SECOND { struct item *i; rcu_read_lock(); list_for_each_entry_rcu(i, &head, l) { int v = i->v;"
        " assert(v == 7); } rcu_read_unlock(); return 0; }", "", "null-dereference"),
    "list without locks": (
        "struct item { struct llist_node l; int v; }; static LLIST_HEAD(head); static struct item one;"
        "FIRST { one.v = 5; OK((void)llist_add(&one.l, &head), WRITE_ONCE(head.first, &one.l)); return 0; }"
        "SECOND { struct llist_node *l = llist_del_all(&head); if (l) { int v = llist_entry(l, struct item, l)->v;"
        " assert(v == 5); } return 0; }", "", "assertion"),
    "list entry taken out": (
        "struct item { struct list_head l; int v; }; static struct item one; static struct list_head head"
        " = LIST_HEAD_INIT(one.l); static struct item one = {.l = LIST_HEAD_INIT(head), .v = 7};"
        "FIRST { OK(list_del_rcu, list_del)(&one.l); return 0; }"
        "SECOND { struct item *i; rcu_read_lock(); list_for_each_entry_rcu(i, &head, l) { int v = READ_ONCE(i->v);"
        " assert(v == 7); } rcu_read_unlock(); return 0; }", "", "null-dereference"),
    "bit spin lock": (
        "static unsigned long word; static int owner;"
        "static void work(int me) { bit_spin_lock(3, &word); owner = me; assert(owner == me);"
        " OK(bit_spin_unlock(3, &word), clear_bit(3, &word)); }"
        "FIRST { work(1); return 0; } SECOND { work(2); return 0; }", "", "assertion"),
    "ring of two": (
        "static struct { u32 in, out; int data[2]; } ring;"
        "static void put(int v) { u32 in = ring.in; if (in - smp_load_acquire(&ring.out) > 1) return;"
        " ring.data[in % 2] = v; OK(smp_store_release(&ring.in, in + 1), WRITE_ONCE(ring.in, in + 1)); }"
        "FIRST { put(1); put(2); put(3); return 0; }"
        "SECOND { for (int want = 1; want < 3; want++) { u32 out = ring.out;"
        " if (smp_load_acquire(&ring.in) == out) return 0; int v = ring.data[out % 2]; assert(v == want);"
        " smp_store_release(&ring.out, out + 1); } return 0; }", "", "race"),
    "clock under a sequence count": (
        "static seqcount_t seq; static DEFINE_SPINLOCK(lock); static u64 sec, nsec;"
        "FIRST { spin_lock(&lock); write_seqcount_begin(&seq); WRITE_ONCE(sec, sec + 1); WRITE_ONCE(nsec, nsec + 1);"
        " OK(write_seqcount_end(&seq), WRITE_ONCE(seq.sequence, seq.sequence + 1)); spin_unlock(&lock); return 0; }"
        "SECOND { u32 s; u64 a, b; do { s = read_seqcount_begin(&seq); a = READ_ONCE(sec); b = READ_ONCE(nsec); }"
        " while (read_seqcount_retry(&seq, s)); assert(a == b); return 0; }", "", "assertion"),
    "two locks in one order": (
        "static DEFINE_SPINLOCK(l); static DEFINE_SPINLOCK(m); static int from = 5, to = 5;"
        "static void move(int n) { unsigned long flags; raw_spin_lock_irqsave(&l, flags); spin_lock(&m); from -= n;"
        " to += n; spin_unlock(&m); raw_spin_unlock_irqrestore(&l, flags); }"
        "FIRST { move(1); return 0; } SECOND { OK(move(-1), (from++, to--)); return 0; }", "assert(from + to == 10);",
        "assertion"),
    "pointer replaced": (
        "static struct c { int v; } old = {1}, fresh = {2}, *now = &old; static DEFINE_SPINLOCK(l);"
        "FIRST { rcu_read_lock(); int v = rcu_dereference(now)->v; rcu_read_unlock(); assert(v == 1 || v == 2);"
        " return 0; }"
        "SECOND { spin_lock(&l); struct c *o = rcu_replace_pointer(now, &fresh, 1); spin_unlock(&l);"
        " OK(synchronize_rcu(), (void)0); o->v = 9; return 0; }", "", "assertion"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bug_is_found_and_nothing_without_it(name: str, tmp_path: Path) -> None:
    text, end, kind = PROGRAMS[name]
    path = tmp_path / "program.c"
    for chosen, answer in (("x", Answer.PASS), ("y", Answer.FAIL)):
        path.write_text(f"{_HEAD}#define OK(x, y) {chosen}\n{text}{_MAIN.replace('END', end)}", encoding="utf-8")
        verdict = check(path, model="lkmm")
        assert verdict.answer is answer, verdict.reason
    assert verdict.errors[0].kind.value == kind
