#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct __attribute__((packed)) P { char c; int i; } ;
struct P g;
int main(void){ int*p=&g.i; *p=3; return 0;}
