#include <cassert>
#include <cstdint>
#include <new>
struct alignas(64) A { int x; };
void* get(std::size_t n, std::size_t al){ return ::operator new(n, std::align_val_t(al)); }
int main(){ A*a=new A; assert((uintptr_t)a%64==0); delete a; 
 for (std::size_t al=16; al<=256; al*=2){ void*p=get(8,al); assert((uintptr_t)p%al==0); ::operator delete(p,std::align_val_t(al)); }
 void*p=::operator new(8,std::align_val_t(128),std::nothrow); assert((uintptr_t)p%128==0); ::operator delete(p,std::align_val_t(128));
}
