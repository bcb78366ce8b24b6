#include "forebay/storage/remote/xml_answer.h"

#include <algorithm>

#include "forebay/base/utf8.h"

namespace forebay::storage {

bool load_xml(pugi::xml_document& document, std::string_view xml, size_t most_bytes) {
  return xml.size() <= most_bytes &&
         document.load_buffer(xml.data(), xml.size(),
                              pugi::parse_minimal | pugi::parse_escapes | pugi::parse_eol |
                                  pugi::parse_cdata | pugi::parse_ws_pcdata_single,
                              pugi::encoding_utf8);
}

std::string_view xml_text(const pugi::xml_node& node, const char* name) {
  return node.child_value(name);
}

bool fits_xml(std::string_view text) {
  const bool has_noncharacter = text.find("\xef\xbf\xbe") != std::string_view::npos ||
                                text.find("\xef\xbf\xbf") != std::string_view::npos;
  return is_utf8(text) && !has_noncharacter &&
         std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace forebay::storage
