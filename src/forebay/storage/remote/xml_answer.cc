#include "forebay/storage/remote/xml_answer.h"

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

}  // namespace forebay::storage
