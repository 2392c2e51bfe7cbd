#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
struct T { unsigned char a[3]; }; _Atomic struct T at; 
_BitInt(24) bi; unsigned _BitInt(17) bj;
int main(void){ struct T v={{1,2,3}}; struct T*h=malloc(3); *h=v; struct T w=*h; assert(w.a[2]==3); free(h);
 bi=-5; assert(bi==-5); bj=70000; assert(bj==70000);
 atomic_store(&at,v); w=atomic_load(&at); assert(w.a[1]==2); return 0;}
