// Parses arbitrary bytes as Arrow metadata, as a format string, and as the strings of a schema with children.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "forebay/exchange/arrow/arrow_schema.h"

namespace {

using forebay::exchange::arrow::Schema;

// A tree whose formats and child counts come from the bytes.
struct Tree {
  std::vector<std::string> texts;
  std::vector<Schema> nodes;
  std::vector<std::vector<Schema*>> children;

  Schema* grow(std::span<const uint8_t>& bytes, int depth) {
    if (bytes.size() < 2 || nodes.size() == nodes.capacity()) {
      return nullptr;
    }
    const size_t format_bytes = bytes[0] % 12;
    const int count = depth < 70 ? bytes[1] % 4 : 0;
    const bool has_dictionary = bytes[1] >= 224;
    bytes = bytes.subspan(2);
    const size_t taken = std::min(format_bytes, bytes.size());
    texts.emplace_back(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    Schema& schema = nodes.emplace_back();
    schema.format = texts.back().c_str();
    schema.name = "x";
    schema.release = [](Schema*) {};
    const size_t place = children.size();
    children.emplace_back();
    for (int i = 0; i < count; ++i) {
      Schema* child = grow(bytes, depth + 1);
      children[place].push_back(child);
    }
    schema.n_children = count;
    schema.children = children[place].data();
    schema.dictionary = has_dictionary ? grow(bytes, depth + 1) : nullptr;
    return &schema;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace forebay;
  const std::span<const uint8_t> bytes(data, size);
  if (const auto metadata = exchange::parse_metadata(std::as_bytes(bytes)); metadata.ok()) {
    const std::string packed = exchange::pack_metadata(*metadata);
    if (*exchange::parse_metadata(std::as_bytes(std::span(packed))) != *metadata) {
      __builtin_trap();
    }
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto type = exchange::type_of_format(text); type.ok()) {
    (void)exchange::format_of(*type);
  }
  Tree tree;
  tree.texts.reserve(4096);
  tree.nodes.reserve(4096);
  tree.children.reserve(4096);
  std::span<const uint8_t> rest = bytes;
  if (const Schema* root = tree.grow(rest, 0)) {
    if (const auto field = exchange::field_of(*root); field.ok()) {
      Schema out{};
      if (exchange::export_schema(*field, &out).ok()) {
        exchange::arrow::Owned<Schema> owned(&out);
        if (!(*exchange::field_of(*owned) == *field)) {
          __builtin_trap();
        }
      }
    }
  }
  return 0;
}
