#include <stdlib.h>
#include <stdatomic.h>
int main(void){ char*b=malloc(16); long*p=(long*)(b+4); *p=3; free(b); return 0;}
