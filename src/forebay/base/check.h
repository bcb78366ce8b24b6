// Checks of our own invariants. They are active in every build and are the only place that may abort. Input
// from outside is never checked this way; it gives a Status.
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
