#include <assert.h>
struct __attribute__((packed)) B { unsigned a:3; unsigned b:30; unsigned char c; unsigned long long d:45; };
struct B g;
struct __attribute__((packed,aligned(4))) C { char c; int i; }; struct C x[2], y[2];
typedef int __attribute__((aligned(1))) un; char buf[16];
int main(void){ g.a=5; g.b=12345678; g.d=99; assert(g.a==5&&g.b==12345678&&g.d==99); x[0].i=5; y[0]=x[0]; y[1]=x[0]; assert(y[1].i==5); 
 *(un*)(buf+1)=77; assert(*(un*)(buf+1)==77); return 0;}
