// Trees and lists, whose algorithms are in the compiled part of a C++ library.
#include <map>
#include <set>
#include <list>
#include <cassert>
int main(){ std::map<int,int> m; int keys[]={5,2,8,1,9,3,7,4,6}; for(int k:keys) m[k]=k*k; int last=0; for(auto&[k,v]:m){ assert(k==last+1&&v==k*k); last=k; } assert(last==9);
 m.erase(5); m.erase(1); m.erase(9); m.erase(8); int n=0; for(auto&p:m){ n+=p.first; } assert(n==2+3+7+4+6); assert(m.begin()->first==2&&m.rbegin()->first==7); auto it=m.end(); --it; assert(it->first==7); --it; assert(it->first==6); while(!m.empty()) m.erase(m.begin()); assert(m.size()==0);
 std::set<int> s{3,1,2}; s.erase(2); assert(s.count(2)==0&&s.size()==2); std::list<int> l{1, 2, 3}; l.pop_front(); assert(l.size() == 2 && l.back() == 3); }
