#include "forebay/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace forebay {

void check_failed(const char* file, int line, std::string_view condition) {
  std::fprintf(stderr, "forebay: %s:%d: invariant does not hold: %.*s\n", file, line,
               static_cast<int>(condition.size()), condition.data());
  std::abort();
}

}  // namespace forebay
