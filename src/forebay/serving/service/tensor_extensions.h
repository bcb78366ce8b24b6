// Classification and shared memory as the gRPC door asks for them.
#pragma once

#include <memory>

#include "forebay/serving/grpc/grpc_door.h"
#include "forebay/serving/protocol/shared_regions.h"

namespace forebay::serving {

/// `regions` may be null: then shared memory is refused.
TensorExtensions tensor_extensions(const std::shared_ptr<SharedRegions>& regions);

}  // namespace forebay::serving
