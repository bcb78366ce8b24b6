// Python callables as the work of a graph's border nodes. Both take the GIL for each call; exceptions become
// Status.
#pragma once

#include <memory>

#include "bindings/interpreter/held_objects.h"
#include "forebay/pipeline/session/border.h"

namespace forebay::bindings {

/// `feed.next(iteration, epoch, position, max_batch_size)` gives for each output a list of tensors, or
/// raises StopIteration; `feed.reset()` starts the next epoch.
std::shared_ptr<pipeline::ExternalFeed> make_feed(HeldRef feed);

/// `function(samples)` gets for each sample a list of tensors, and gives such lists.
std::shared_ptr<pipeline::HostFunction> make_function(HeldRef function);

}  // namespace forebay::bindings
