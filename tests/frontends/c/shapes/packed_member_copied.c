#include <assert.h>
#include <string.h>
struct __attribute__((packed)) S { char c; int i; } s;
int main(){
 struct S*p=&s;
 p->i=7;
 assert(p->i==7);
 int k;
 memcpy(&k,&p->i,4);
 memcpy(&p->i,&k,4);
 assert(s.i==7); }
