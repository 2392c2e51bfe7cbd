#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
struct __attribute__((packed)) P { char c; int i; short s; };
struct P g, g2;
struct P pass(struct P p){ p.i++; return p; }
#pragma pack(push,2)
struct Q { char c; long l; int i; };
#pragma pack(pop)
struct Q q, q2;
struct N { short x; struct P in[2]; } n, n2;
void* t(void*p){ g2=g; g2=pass(g2); q2=q; memcpy(&n2,&n,sizeof n); n2=n; return 0;}
int main(void){ pthread_t a; g=(struct P){1,2,3}; q.l=5; n.in[1].i=9; memset(&g2,0,sizeof g2);
 struct P *h=malloc(3*sizeof *h); memcpy(h,&g,sizeof g); h[1]=h[0]; h[2]=pass(h[1]);
 pthread_create(&a,0,t,&g); pthread_join(a,0);
 assert(g2.i==3&&q2.l==5&&n2.in[1].i==9&&h[2].i==3); free(h); return 0;}
