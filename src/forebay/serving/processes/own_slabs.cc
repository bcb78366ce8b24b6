// A worker's outputs, copied into shared memory that is used again.
#include "forebay/serving/processes/own_slabs.h"

#include <algorithm>
#include <utility>

#include "forebay/base/round_up.h"
#include "forebay/memory/copy.h"

namespace forebay::serving {

void OwnSlabs::free(const std::vector<uint64_t>& numbers) {
  for (const uint64_t number : numbers) {
    if (const auto found = slabs_.find(number); found != slabs_.end()) {
      found->second.is_free = true;
    }
  }
}

Status OwnSlabs::check_room(uint64_t bytes) const {
  uint64_t taken = 0;
  for (const auto& [number, own] : slabs_) {
    taken += own.memory.size_bytes();
  }
  if (taken > most_bytes_ || slab_bytes_of(bytes) > most_bytes_ - taken) {
    return resource_exhausted(
        "outputs need {} bytes of shared memory, and users of earlier ones hold {} of at most {}", bytes,
        taken, most_bytes_);
  }
  return ok_status();
}

Result<uint64_t> OwnSlabs::choose(uint64_t bytes, AnswerMessage* answer) {
  for (auto& [number, own] : slabs_) {
    if (own.is_free && own.memory.size_bytes() >= bytes) {
      own.is_free = false;
      return number;
    }
  }
  for (auto own = slabs_.begin(); own != slabs_.end();) {
    if (own->second.is_free) {
      answer->dropped.push_back(own->first);
      own = slabs_.erase(own);
    } else {
      ++own;
    }
  }
  FOREBAY_RETURN_IF_ERROR(check_room(bytes));
  FOREBAY_ASSIGN_OR_RETURN(SharedSlab made, SharedSlab::create(bytes));
  answer->slab_bytes = made.size_bytes();
  slabs_.emplace(++last_number_, Own{std::move(made), false});
  return last_number_;
}

Result<const SharedSlab*> OwnSlabs::place(const std::vector<NamedTensor>& tensors, AnswerMessage* answer) {
  uint64_t bytes = 0;
  for (const NamedTensor& tensor : tensors) {
    bytes = round_up(bytes, kSlabAlignment) + tensor.size_bytes;
  }
  const SharedSlab* slab = nullptr;
  if (bytes > 0) {
    FOREBAY_ASSIGN_OR_RETURN(answer->slab, choose(bytes, answer));
    slab = &slabs_.at(answer->slab).memory;
  }
  uint64_t offset = 0;
  for (const NamedTensor& tensor : tensors) {
    offset = round_up(offset, kSlabAlignment);
    const bool is_empty = tensor.size_bytes == 0;
    if (!is_empty) {
      memory::copy(slab->mutable_bytes().data() + offset, tensor.bytes().data(), tensor.size_bytes);
    }
    answer->outputs.push_back(
        {tensor.name, tensor.datatype, tensor.shape, is_empty ? 0 : offset, tensor.size_bytes});
    offset += tensor.size_bytes;
  }
  return slab;
}

void OwnSlabs::take_back(AnswerMessage* answer) {
  if (const auto found = slabs_.find(answer->slab); found != slabs_.end()) {
    if (answer->slab_bytes > 0) {
      slabs_.erase(found);  // the server never hears of it
    } else {
      found->second.is_free = true;
    }
  }
  answer->slab = 0;
  answer->slab_bytes = 0;
  answer->outputs.clear();
}

}  // namespace forebay::serving
