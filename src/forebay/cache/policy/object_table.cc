#include "forebay/cache/policy/object_table.h"

namespace forebay::cache {

ObjectTable::ObjectTable(const storage::PlannedItems& items, const IdOf& id_of,
                         const std::function<bool()>& is_wanted) {
  const uint64_t count = items.num_objects();
  places_.resize(count + count / 3 + 1);
  for (uint64_t number = 0; number < count && number < kFree && is_wanted(); ++number) {
    if (const std::optional<storage::PlannedObject> object = items.object(number)) {
      add(id_of(*object).low, static_cast<uint32_t>(number));
    }
  }
}

size_t ObjectTable::home_of(uint64_t object) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<size_t>(static_cast<Wide>(object) * places_.size() >> 64);
}

void ObjectTable::add(uint64_t object, uint32_t number) {
  size_t place = home_of(object);
  while (places_[place].number != kFree) {
    place = place + 1 == places_.size() ? 0 : place + 1;
  }
  places_[place] = {static_cast<uint32_t>(object), number};
}

std::optional<uint64_t> ObjectTable::find(uint64_t object) const {
  size_t place = home_of(object);
  while (places_[place].number != kFree) {
    if (places_[place].fingerprint == static_cast<uint32_t>(object)) {
      return places_[place].number;
    }
    place = place + 1 == places_.size() ? 0 : place + 1;
  }
  return std::nullopt;
}

}  // namespace forebay::cache
