#include "forebay/fuse/files/url_names.h"

#include <charconv>

namespace forebay::fuse {
namespace {

/// As a server does it: what is no escape stays.
std::string decoded_by_servers(std::string_view name) {
  std::string decoded;
  for (size_t i = 0; i < name.size(); ++i) {
    const std::string_view digits = name.substr(i + 1, 2);
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (name[i] == '%' && digits.size() == 2 && error == std::errc() && end == digits.data() + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += name[i];
    }
  }
  return decoded;
}

}  // namespace

bool is_url_name(std::string_view name) {
  const std::string decoded = decoded_by_servers(name);
  return name.find_first_of("?#") == std::string_view::npos && decoded != "." && decoded != ".." &&
         decoded.find('/') == std::string::npos && decoded.find('\0') == std::string::npos;
}

}  // namespace forebay::fuse
