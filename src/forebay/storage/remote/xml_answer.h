// Answers of services in XML.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string_view>

namespace forebay::storage {

/// False for what is no XML or longer than `most_bytes`. No entities are expanded but the five of XML itself
/// and characters, and nothing is loaded.
bool load_xml(pugi::xml_document& document, std::string_view xml, size_t most_bytes);

/// The text of the child of that name; empty where there is none.
std::string_view xml_text(const pugi::xml_node& node, const char* name);

}  // namespace forebay::storage
