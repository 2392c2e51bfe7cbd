#include <stdlib.h>
int main(void){ char buf[16]; int*p=(int*)(buf+1); *p=3; return *p-3;}
