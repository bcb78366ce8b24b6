// From the hash that names an object in the cache to its number in a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "forebay/cache/entries/entry_key.h"
#include "forebay/storage/planned_items.h"

namespace forebay::cache {

/// Immutable; thread safe. 11 bytes an object. Two objects of a large data set may share a fingerprint; one
/// of them then has the other's future, which costs nothing but a worse guess.
class ObjectTable {
 public:
  using IdOf = std::function<ObjectId(const storage::PlannedObject& object)>;

  /// Goes through all objects once; stops early, with what it has, when `is_wanted` says no.
  ObjectTable(const storage::PlannedItems& items, const IdOf& id_of, const std::function<bool()>& is_wanted);

  std::optional<uint64_t> find(uint64_t object) const;
  size_t memory_bytes() const { return places_.capacity() * sizeof(Place); }

 private:
  struct Place {
    uint32_t fingerprint = 0;
    uint32_t number = kFree;
  };
  static constexpr uint32_t kFree = 0xffffffff;

  size_t home_of(uint64_t object) const;
  void add(uint64_t object, uint32_t number);

  std::vector<Place> places_;  // open addressing, linear probing
};

}  // namespace forebay::cache
