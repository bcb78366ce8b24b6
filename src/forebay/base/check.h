// Checks of our own invariants. They hold in every build and are the only place that may abort: what comes
// from outside is a Status, never a check.
#pragma once

#include <string_view>

namespace forebay {

[[noreturn]] void check_failed(const char* file, int line, std::string_view condition);

}  // namespace forebay

#define FOREBAY_CHECK(condition)                               \
  do {                                                         \
    if (!(condition)) [[unlikely]] {                           \
      ::forebay::check_failed(__FILE__, __LINE__, #condition); \
    }                                                          \
  } while (false)
