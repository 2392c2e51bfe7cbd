#ifndef N
#error "say how many: -DN=2"
#endif
int main(void) { return 0; }
