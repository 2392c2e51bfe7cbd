template <typename T> T twice(T x) { return x + missing; }
int main() { return twice(1); }
