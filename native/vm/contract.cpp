#include "vm/contract.hpp"

#include <string>

namespace fencepost {

void broken_contract(const char* should, const char* file, int line) {
  const std::string path = file;
  const std::size_t at = path.rfind("native/");
  throw BrokenContract(std::string(should) + " (" + (at == std::string::npos ? path : path.substr(at)) + ":" +
                       std::to_string(line) + ")");
}

} // namespace fencepost
