// Containers, whose algorithms are partly in the compiled libraries, and values of changing types.
#include <any>
#include <cassert>
#include <iostream>
#include <list>
#include <string>
#include <unordered_map>
struct A {
  virtual ~A() {}
};
struct B : A {};
struct C : A {};
int main() {
  std::unordered_map<std::string, int> words;
  words["a"] = 1;
  words["one that is too long to be kept inside"] = 2;
  assert(words["a"] == 1 && words.size() == 2 && words.count("b") == 0);
  std::unordered_map<int, int> squares;
  for (int i = 0; i < 20; i++)
    squares[i] = i * i;
  squares.erase(7);
  assert(squares.size() == 19 && squares.at(8) == 64 && squares.find(7) == squares.end());
  std::list<int> left{1, 2}, right{3};
  left.splice(left.end(), right);
  left.swap(right);
  assert(left.empty() && right.size() == 3 && right.back() == 3);
  std::any any = 3;
  assert(std::any_cast<int>(any) == 3);
  A *a = new B;
  assert(dynamic_cast<B *>(a) && !dynamic_cast<C *>(a) && typeid(*a) == typeid(B));
  delete a;
  std::cout << "done " << words.size() << std::endl;
}
