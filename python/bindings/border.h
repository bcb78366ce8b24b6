// Python callables as the work of a graph's border nodes. Both take the GIL for each call; exceptions become
// Status.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "bindings/python_ref.h"
#include "forebay/pipeline/border.h"

namespace forebay::bindings {

/// `feed.next(iteration, epoch, position, max_batch_size)` gives for each output a list of tensors, or
/// raises StopIteration; `feed.reset()` starts the next epoch.
std::shared_ptr<pipeline::ExternalFeed> make_feed(nb::object feed);

/// `function(samples)` gets for each sample a list of tensors, and gives such lists.
std::shared_ptr<pipeline::HostFunction> make_function(nb::object function);

/// Waits until no call of a feed or function is under way: true. False when `give_up` said so (asked every 20
/// ms) or `most` has passed. Without the GIL.
bool wait_for_calls(std::chrono::milliseconds most, const std::function<bool()>& give_up);

}  // namespace forebay::bindings
