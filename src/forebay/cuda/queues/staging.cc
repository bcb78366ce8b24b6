#include "forebay/cuda/queues/staging.h"

#include <algorithm>
#include <utility>

#include "forebay/memory/copy.h"

namespace forebay::cuda {

using memory::BufferRef;

Result<std::unique_ptr<Staging>> Staging::create(engine::Engine& engine, const StagingOptions& options) {
  if (options.copies == nullptr || options.pinned == nullptr || options.slot_bytes == 0 ||
      options.slots == 0) {
    return invalid_argument("staging needs an executor, memory, and at least one slot of a byte");
  }
  std::unique_ptr<Staging> made(new Staging(engine, options));
  for (size_t i = 0; i < options.slots; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(BufferRef buffer, memory::Buffer::allocate(options.slot_bytes, options.pinned));
    made->slots_.push_back({.buffer = std::move(buffer), .variable = engine.new_variable()});
  }
  return made;
}

const Staging::Slot& Staging::next_slot() {
  return slots_[next_++ % slots_.size()];
}

template <class PushPiece>
Status Staging::in_pieces(const StagedCopy& copy, PushPiece push_piece) {
  auto* to = static_cast<std::byte*>(copy.destination);
  const auto* from = static_cast<const std::byte*>(copy.source);
  for (size_t done = 0; done < copy.size_bytes; done += options_.slot_bytes) {
    const size_t bytes = std::min(options_.slot_bytes, copy.size_bytes - done);
    FOREBAY_RETURN_IF_ERROR(push_piece(next_slot(), to + done, from + done, bytes));
  }
  return ok_status();
}

Status Staging::to_device(const engine::LaneRef& lane, const StagedCopy& copy) {
  const auto push_piece = [&](const Slot& slot, std::byte* to, const std::byte* from,
                              size_t bytes) -> Status {
    FOREBAY_RETURN_IF_ERROR(
        engine_.push(lane, {.name = "fill a slot", .reads = {&copy.reads, 1}, .writes = {&slot.variable, 1}},
                     [buffer = slot.buffer, from, bytes] {
                       memory::copy(buffer->data(), from, bytes);
                       return ok_status();
                     }));
    return engine_.push(lane,
                        {.name = "copy to the device",
                         .reads = {&slot.variable, 1},
                         .writes = {&copy.writes, 1},
                         .executor = options_.copies},
                        [buffer = slot.buffer, queue = options_.queue, to, bytes]() -> Status {
                          FOREBAY_ASSIGN_OR_RETURN(
                              const Fence copied,
                              memory::copy_async(queue.driver, queue.queue, to, buffer->data(), bytes));
                          buffer->add_reader(copied);
                          return ok_status();
                        });
  };
  return in_pieces(copy, push_piece);
}

Status Staging::to_host(const engine::LaneRef& lane, const StagedCopy& copy) {
  const auto push_piece = [&](const Slot& slot, std::byte* to, const std::byte* from,
                              size_t bytes) -> Status {
    FOREBAY_RETURN_IF_ERROR(engine_.push(
        lane,
        {.name = "copy to the host",
         .reads = {&copy.reads, 1},
         .writes = {&slot.variable, 1},
         .executor = options_.copies},
        [buffer = slot.buffer, queue = options_.queue, from, bytes]() -> Status {
          FOREBAY_ASSIGN_OR_RETURN(
              const Fence copied, memory::copy_async(queue.driver, queue.queue, buffer->data(), from, bytes));
          buffer->set_last_write(copied);
          return ok_status();
        }));
    return engine_.push(lane,
                        {.name = "empty a slot", .reads = {&slot.variable, 1}, .writes = {&copy.writes, 1}},
                        [buffer = slot.buffer, to, bytes] {
                          memory::copy(to, buffer->data(), bytes);
                          return ok_status();
                        });
  };
  return in_pieces(copy, push_piece);
}

}  // namespace forebay::cuda
