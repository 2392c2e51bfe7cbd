#include <assert.h>
#include <stdint.h>
#include <string.h>
int main(void){ volatile int64_t v=0x4000004000000001LL; float f=v; uint32_t u; memcpy(&u,&f,4); assert(u==0x5e800001);
 volatile uint64_t w=0x8000008000000001ULL; f=w; memcpy(&u,&f,4); assert(u==0x5f000001);
 volatile float a=16777216.0f,b=1.0f; f=a+b; assert(f==16777216.0f);
 return 0;}
