// A certificate of its own for a test of TLS, with its key.
#pragma once

#include <string>

namespace forebay::serving::testing {

struct SelfSigned {
  std::string certificate;  // PEM; valid for "localhost" and 127.0.0.1, for a day
  std::string key;          // PEM
};

/// Made anew. Aborts where OpenSSL cannot.
SelfSigned make_self_signed();

}  // namespace forebay::serving::testing
