// The service's calls before a ModelServer.
#pragma once

#include <memory>

#include "forebay/serving/grpc/door_state.h"

namespace grpc {
class Service;
}  // namespace grpc

namespace forebay::serving {

/// GRPCInferenceService by gRPC's callback interface. It must outlive the gRPC server that it is registered
/// at.
std::unique_ptr<grpc::Service> make_grpc_service(std::shared_ptr<DoorState> door);

}  // namespace forebay::serving
