#include "forebay/cache/policy/due_heap.h"

namespace forebay::cache {

void DueHeap::put(size_t place, const Node& node) {
  nodes_[place] = node;
  places_[node.slot] = static_cast<uint32_t>(place);
}

void DueHeap::sift_up(size_t place, const Node& node) {
  while (place > 0) {
    const size_t parent = (place - 1) / 2;
    if (!node.due.goes_before(nodes_[parent].due)) {
      break;
    }
    put(place, nodes_[parent]);
    place = parent;
  }
  put(place, node);
}

void DueHeap::sift_down(size_t place, const Node& node) {
  for (;;) {
    size_t child = 2 * place + 1;
    if (child >= nodes_.size()) {
      break;
    }
    if (child + 1 < nodes_.size() && nodes_[child + 1].due.goes_before(nodes_[child].due)) {
      ++child;
    }
    if (!nodes_[child].due.goes_before(node.due)) {
      break;
    }
    put(place, nodes_[child]);
    place = child;
  }
  put(place, node);
}

void DueHeap::set(EntrySlot slot, const Due& due) {
  if (slot >= places_.size()) {
    places_.resize(slot + 1, kNoPlace);
  }
  size_t place = places_[slot];
  if (place == kNoPlace) {
    place = nodes_.size();
    nodes_.emplace_back();
    sift_up(place, {due, slot});
  } else if (due.goes_before(nodes_[place].due)) {
    sift_up(place, {due, slot});
  } else {
    sift_down(place, {due, slot});
  }
}

void DueHeap::erase(EntrySlot slot) {
  const size_t place = places_[slot];
  const Node last = nodes_.back();
  places_[slot] = kNoPlace;
  nodes_.pop_back();
  if (last.slot == slot) {
    return;
  }
  if (place > 0 && last.due.goes_before(nodes_[(place - 1) / 2].due)) {
    sift_up(place, last);
  } else {
    sift_down(place, last);
  }
}

}  // namespace forebay::cache
