// What is known of the server and its models, as messages of the protocol.
#pragma once

#include "forebay/serving/grpc/grpc_door.h"
#include "forebay/serving/grpc/inference.pb.h"

namespace forebay::serving {

void fill_server_metadata(const GrpcDoorOptions& options, inference::ServerMetadataResponse& to);
void fill_metadata(const ModelMetadata& metadata, inference::ModelMetadataResponse& to);
void fill_statistics(const ModelStatistics& statistics, inference::ModelStatistics& to);
void fill_index(const std::vector<ModelIndexEntry>& entries, inference::RepositoryIndexResponse& to);
void fill_regions(const std::vector<RegionState>& regions, inference::SystemSharedMemoryStatusResponse& to);
/// From the keys of Triton's ModelConfig; those that it has not are left out. internal_error where it is no
/// such JSON.
Status fill_config(const std::string& json, const std::string& model, inference::ModelConfig& to);

/// What there is. unimplemented for a request that changes a setting; one that gives a setting the value that
/// it has changes nothing, nor does a setting of traces without a value, which sets it back.
Status fill_trace_settings(const GrpcDoorOptions& options, const inference::TraceSettingRequest& request,
                           inference::TraceSettingResponse& to);
Status fill_log_settings(const GrpcDoorOptions& options, const inference::LogSettingsRequest& request,
                         inference::LogSettingsResponse& to);

}  // namespace forebay::serving
