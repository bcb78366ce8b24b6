#include "forebay/storage/http/http_index.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "forebay/storage/http/http_status.h"

namespace forebay::storage {
namespace {

constexpr int kEntryDepth = 2;  // an object in the array

bool is_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

/// Takes the text as it is parsed, so that a large index needs no tree of it.
class IndexReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == kEntryDepth && key_ == "size") {
      entry_.size_bytes = value;
    }
    return true;
  }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& value) override {
    if (depth_ == kEntryDepth) {
      take(std::move(value));
    }
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override {
    entry_ = {};
    type_.clear();
    return ++depth_ == kEntryDepth;
  }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool end_object() override {
    --depth_;
    if (is_name(entry_.name) && (type_ == "file" || type_ == "directory")) {
      entry_.name += type_ == "directory" ? "/" : "";
      entries_.push_back(std::move(entry_));
    }
    return true;
  }
  bool start_array(size_t) override { return ++depth_ == 1; }
  bool end_array() override { return --depth_ == 0; }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  std::vector<HttpIndexEntry>& entries() { return entries_; }

 private:
  void take(std::string value) {
    if (key_ == "name") {
      entry_.name = std::move(value);
    } else if (key_ == "type") {
      type_ = std::move(value);
    } else if (key_ == "mtime") {
      entry_.modified_ns = modified_ns_of(&value);
    }
  }

  int depth_ = 0;
  std::string key_;
  std::string type_;
  HttpIndexEntry entry_;
  std::vector<HttpIndexEntry> entries_;
};

}  // namespace

Result<std::vector<HttpIndexEntry>> parse_http_index(std::string_view json) {
  IndexReader reader;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &reader)) {
    return data_loss("not a folder's index in JSON");
  }
  return std::move(reader.entries());
}

}  // namespace forebay::storage
