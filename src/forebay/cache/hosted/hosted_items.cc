#include "forebay/cache/hosted/hosted_items.h"

#include <utility>

namespace forebay::cache {

HostedNames::HostedNames(const std::string& uri, std::string_view key,
                         std::shared_ptr<storage::ObjectStore> store, StoreOpener open, storage::StoreUse use)
    : base_(uri.ends_with(key) ? uri.substr(0, uri.size() - key.size()) : uri),
      store_(std::move(store)),
      open_(std::move(open)),
      use_(std::move(use)) {
}

std::optional<std::string> HostedNames::key_of(const std::string& uri) const {
  if (uri.starts_with(base_)) {
    std::string key = uri.substr(base_.size());
    if (store_->uri_of(key) == uri) {
      return key;
    }
  }
  Result<storage::ObjectAddress> address = open_(uri, use_);
  if (!address.ok() || address->store != store_) {
    return std::nullopt;
  }
  return std::move(address->key);
}

std::optional<std::string> HostedItems::key_of(const ItemTable::Object& object) const {
  return object.name.empty() ? std::nullopt : names_->key_of(std::string(prefix_).append(object.name));
}

void HostedItems::ranges_of(uint64_t item, std::vector<storage::PlannedRange>* ranges) const {
  const std::optional<ItemTable::Item> at = table_->item(item);
  if (!at) {
    return;
  }
  const ItemTable::Object object = table_->object(at->object);
  if (std::optional<std::string> key = key_of(object)) {
    ranges->push_back({.key = *std::move(key),
                       .offset_bytes = at->offset_bytes,
                       .length_bytes = at->length_bytes,
                       .version = std::string(object.version),
                       .is_to_end = at->is_to_end});
  }
}

std::optional<storage::PlannedObject> HostedItems::object(uint64_t number) const {
  const ItemTable::Object object = table_->object(number);
  std::optional<std::string> key = key_of(object);
  if (!key) {
    return std::nullopt;
  }
  return storage::PlannedObject{*std::move(key), std::string(object.version)};
}

}  // namespace forebay::cache
