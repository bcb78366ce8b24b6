// Answers of services in XML, and what requests say in it.
#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace forebay::storage {

/// False for what is no XML or longer than `most_bytes`. No entities are expanded but the five of XML itself
/// and characters, and nothing is loaded.
bool load_xml(pugi::xml_document& document, std::string_view xml, size_t most_bytes);

/// The text of the child of that name; empty where there is none.
std::string_view xml_text(const pugi::xml_node& node, const char* name);

/// Whether XML 1.0 holds a text as it is: UTF-8 without control characters.
bool fits_xml(std::string_view text);

/// The text as the content of an element.
std::string xml_escaped(std::string_view text);

}  // namespace forebay::storage
