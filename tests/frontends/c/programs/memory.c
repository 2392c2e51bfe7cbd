// Structs, unions, arrays, pointers, the heap, copying, initialisers, thread-local and static variables.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct node { struct node *next; char tag; struct point at[2]; double weight; };
union word { uint32_t whole; uint8_t bytes[4]; float real; };
struct flags { unsigned a : 3, b : 5; int c : 10; unsigned long long d : 40; };

static struct point origin = {3, 4};
static struct node tail = {NULL, 't', {{1, 2}, {3, 4}}, 1.5};
static struct node head = {&tail, 'h', {[1] = {7, 8}}, -2.5};
static const char *names[] = {"zero", "one", "two"};
static int *middle = &((int[]){10, 20, 30})[1];
static int grid[3][4] = {{1}, {2, 3}, {[3] = 9}};
static char text[8] = "abc";
static _Thread_local int local = 41;

static struct point mirrored(struct point p) { return (struct point){p.y, p.x}; }
static struct node moved(struct node n, int by) { n.at[0].x += by; return n; }
struct big { long a[5]; };
static long sum(struct big b) { b.a[0]++; return b.a[0] + b.a[1] + b.a[2] + b.a[3] + b.a[4]; }

static void structs(void) {
  struct point p = mirrored(origin);
  assert(p.x == 4 && p.y == 3 && origin.x == 3);
  struct node n = moved(head, 5);
  assert(n.at[0].x == 5 && head.at[0].x == 0 && n.at[1].y == 8 && n.next->tag == 't' && n.weight == -2.5);
  struct node *q = &n;
  q->at[1] = q->next->at[0];
  assert(n.at[1].x == 1 && n.at[1].y == 2 && offsetof(struct node, at) == 12);
  struct big b = {{1, 2, 3, 4, 5}};
  assert(sum(b) == 16 && b.a[0] == 1);
  struct flags f = {.a = 5, .b = 17, .c = -3};
  f.d = 0xabcdef0123ull;
  f.a++;
  assert(f.a == 6 && f.b == 17 && f.c == -3 && f.d == 0xabcdef0123ull);
  union word w = {.whole = 0x3f800000};
  assert(w.real == 1.0f && w.bytes[3] == 0x3f && w.bytes[0] == 0);
  w.bytes[3] = 0x40;
  assert(w.real == 4.0f && sizeof(w) == 4);
}

static void arrays(void) {
  assert(grid[0][0] == 1 && grid[1][1] == 3 && grid[2][3] == 9 && grid[2][0] == 0);
  int *p = &grid[1][0];
  assert(p[1] == 3 && *(p - 4) == 1 && &grid[2][0] - p == 4 && p < &grid[2][0]);
  assert(middle[-1] == 10 && middle[1] == 30 && strcmp(names[2], "two") == 0 && text[2] == 'c' && text[3] == 0);
  int n = 3, squares[n];
  for (int i = 0; i < n; i++) squares[i] = i * i;
  assert(squares[0] + squares[1] + squares[2] == 5 && sizeof squares == 12);
  char copy[8];
  memcpy(copy, text, sizeof copy);
  memset(copy + 1, 'x', 2);
  assert(strcmp(copy, "axx") == 0 && memcmp(copy, text, 1) == 0 && memcmp(copy, text, 2) > 0);
  memmove(copy + 1, copy, 4);
  assert(strcmp(copy, "aaxx") == 0);
}

static void heap(void) {
  struct node *list = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *n = malloc(sizeof *n);
    *n = tail;
    n->tag = 'a' + i;
    n->next = list;
    list = n;
  }
  int count = 0;
  while (list) {
    struct node *next = list->next;
    assert(list->tag == 'c' - count && list->at[1].y == 4);
    free(list);
    list = next;
    count++;
  }
  assert(count == 3);
  int *zeros = calloc(4, sizeof *zeros);
  assert(zeros[0] == 0 && zeros[3] == 0);
  free(zeros);
  free(NULL);
  char *s = strdup("hello");
  assert(strlen(s) == 5 && strchr(s, 'l') == s + 2 && strrchr(s, 'l') == s + 3 && strncmp(s, "help", 3) == 0);
  char buffer[16];
  strcpy(buffer, s);
  strcat(buffer, " you");
  assert(strcmp(buffer, "hello you") == 0 && atoi("-42x") == -42);
  free(s);
}

static int counter(void) { static int n; return ++n; }

int main(void) {
  structs();
  arrays();
  heap();
  local++;
  assert(local == 42 && counter() == 1 && counter() == 2);
  return 0;
}
