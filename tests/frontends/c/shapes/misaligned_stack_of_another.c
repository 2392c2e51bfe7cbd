#include <stdlib.h>
#include <pthread.h>
void*t(void*a){ int*p=(int*)((char*)a+1); *p=3; return 0;}
int main(void){ char buf[16]; pthread_t h; pthread_create(&h,0,t,buf); pthread_join(h,0); return 0;}
