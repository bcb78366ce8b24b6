// What is cut off is the beginning: ends of names tell them apart.
#include "forebay/cache/messages/shown_name.h"

#include "forebay/base/utf8.h"

namespace forebay::cache {

std::string shown_name(const std::string& name) {
  const bool is_long = name.size() > kMaxShownNameBytes;
  const std::string shown = is_long ? "..." + name.substr(name.size() - kMaxShownNameBytes + 3) : name;
  return printable(shown);
}

}  // namespace forebay::cache
