#include <cassert>
#include <thread>
#include <vector>
#pragma pack(push,1)
struct M { char k; unsigned long v; float f; };
#pragma pack(pop)
M g; 
int main(){ std::vector<M> v; v.push_back(M{1,2,3}); v.push_back(M{4,5,6}); std::thread t([&]{ g=v[1]; }); t.join(); M l=g; assert(l.v==5&&l.f==6); }
