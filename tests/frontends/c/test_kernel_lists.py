"""Lists of the heap under RCU, as the kernel writes them, each right and with its bugs."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import Answer, check
from fencepost.errors import UnsupportedError

HEAD = """#include <fencepost/kernel.h>
#include <pthread.h>
struct item { int value; struct list_head node; struct item *later; };
static LIST_HEAD(items);
static DEFINE_SPINLOCK(lock);
void *reader(void *p) {
  struct item *i;
  rcu_read_lock();
  list_for_each_entry_rcu(i, &items, node) BUG_ON(READ_ONCE(i->value) == 0);
  rcu_read_unlock();
  return 0;
}
static struct item *add(int value) {
  struct item *i = kmalloc(sizeof *i, GFP_KERNEL);
  i->value = value;
  spin_lock(&lock);
  list_add_rcu(&i->node, &items);
  spin_unlock(&lock);
  return i;
}
static void remove_it(struct item *i) {
  spin_lock(&lock);
  list_del_rcu(&i->node);
  spin_unlock(&lock);
}
"""
REMOVED = """
void *remover(void *p) { remove_it(p); synchronize_rcu(); kfree(p); return 0; }
int main(void) {
  pthread_t a, b;
  struct item *i = add(1);
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, remover, i);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""
ADDED = """
void *adder(void *p) { struct item *i = add(1); remove_it(i); synchronize_rcu(); kfree(i); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, adder, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""
#: What call_rcu does, by hand: another thread waits for the grace period and frees.
LATER = """
static struct item *dead;
void *remover(void *p) { remove_it(p); smp_store_release(&dead, (struct item *)p); return 0; }
void *reclaimer(void *p) {
  struct item *i = smp_load_acquire(&dead);
  if (i) { synchronize_rcu(); kfree(i); }
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  struct item *i = add(1);
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, remover, i);
  pthread_create(&c, 0, reclaimer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
"""
#: The updater looks for the entry, and what is left is taken apart at the end.
FOUND = """
void *remover(void *p) {
  struct item *i, *found = 0;
  spin_lock(&lock);
  list_for_each_entry(i, &items, node)
    if (i->value == 1) { found = i; list_del_rcu(&i->node); break; }
  spin_unlock(&lock);
  if (found) { synchronize_rcu(); kfree(found); }
  return 0;
}
int main(void) {
  pthread_t a, b;
  add(1);
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, remover, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  BUG_ON(!list_empty(&items));
  return 0;
}
"""
LISTS = {"removed": REMOVED, "added": ADDED, "later": LATER, "found": FOUND}


def _checked(text: str, folder: Path) -> Answer:
    path = folder / "list.c"
    path.write_text(HEAD + text)
    return check(path, model="lkmm", time_limit=100).answer


@pytest.mark.parametrize("name", LISTS)
def test_a_list_with_its_grace_period_is_right(name: str, tmp_path: Path) -> None:
    assert _checked(LISTS[name], tmp_path) is Answer.PASS


@pytest.mark.parametrize("name", LISTS)
def test_a_list_without_its_grace_period_is_not(name: str, tmp_path: Path) -> None:
    assert _checked(LISTS[name].replace("synchronize_rcu();", ""), tmp_path) is Answer.FAIL


def test_a_section_that_a_bound_cuts_off_holds_the_grace_period_up(tmp_path: Path) -> None:
    """It counted for a section without an end, which nobody waits for: a data race with the free."""
    text = """
struct node { int key; struct node *next; };
static struct node *head;
static void insert(int key) {
  struct node *n = kmalloc(sizeof *n, GFP_KERNEL);
  n->key = key;
  n->next = head;
  rcu_assign_pointer(head, n);
}
void *walks(void *p) {
  rcu_read_lock();
  for (struct node *n = rcu_dereference(head); n; n = rcu_dereference(n->next)) BUG_ON(n->key == 0);
  rcu_read_unlock();
  return 0;
}
void *removes(void *p) {
  struct node *n = head;
  rcu_assign_pointer(head, n->next);
  synchronize_rcu();
  kfree(n);
  return 0;
}
int main(void) {
  pthread_t a, b;
  insert(1);
  insert(2);
  pthread_create(&a, 0, walks, 0);
  pthread_create(&b, 0, removes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""
    assert _checked(text, tmp_path) is not Answer.FAIL


OTHERS = """
struct other { struct other *next; int value; };
static struct other *others;
static int x, y;
void *walks(void *p) {
  struct other *o = kmalloc(sizeof *o, GFP_KERNEL);
  o->next = 0;
  smp_store_release(&others, o);
  struct other *seen = smp_load_acquire(&others);
  if (seen) seen = READ_ONCE(seen->next);
  if (seen) WRITE_ONCE(seen->value, 1);
  return 0;
}
void *first(void *p) { if (READ_ONCE(x) == 1) y = 1; return 0; }
void *second(void *p) { if (READ_ONCE(y) == 1) x = 1; return 0; }
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_create(&c, 0, walks, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  BUG_ON(x == 1 && y == 1);
  return 0;
}
"""


def test_a_branch_that_decides_itself_is_seen_beside_a_list(tmp_path: Path) -> None:
    """Where a pointer was read from the heap nothing was foreseen, and the program passed."""
    assert _checked(OTHERS, tmp_path) is Answer.FAIL


def test_where_addresses_are_not_known_code_that_does_not_run_is_no_pass(tmp_path: Path) -> None:
    text = OTHERS.replace("o->next = 0", "o->next = (struct other *)((long)o & ~1L)")
    with pytest.raises(UnsupportedError, match="thin air"):
        _checked(text, tmp_path)
