// One method a call: the token is checked, the contract asked, the message filled.
#include "forebay/serving/grpc/grpc_service.h"

#include <utility>

#include "forebay/base/caught.h"
#include "forebay/serving/grpc/grpc_status.h"
#include "forebay/serving/grpc/inference.grpc.pb.h"
#include "forebay/serving/grpc/messages.h"
#include "forebay/serving/grpc/pending_call.h"
#include "forebay/serving/grpc/stream_call.h"
#include "forebay/serving/grpc/wire_writer.h"

namespace forebay::serving {
namespace {

using Protocol = inference::GRPCInferenceService;
using Context = grpc::CallbackServerContext;
using Reactor = grpc::ServerUnaryReactor;
using RepositoryParameters = google::protobuf::Map<std::string, inference::ModelRepositoryParameter>;

/// A service with these methods.
template <template <class> class... Methods>
struct ServiceOf {
  using Type = Protocol::Service;
};
template <template <class> class First, template <class> class... Rest>
struct ServiceOf<First, Rest...> {
  using Type = First<typename ServiceOf<Rest...>::Type>;
};

/// The calls with tensors take and give bytes, so that tensors need not pass through a message.
using ServiceBase =
    ServiceOf<Protocol::WithRawCallbackMethod_ModelInfer, Protocol::WithRawCallbackMethod_ModelStreamInfer,
              Protocol::WithCallbackMethod_ServerLive, Protocol::WithCallbackMethod_ServerReady,
              Protocol::WithCallbackMethod_ModelReady, Protocol::WithCallbackMethod_ServerMetadata,
              Protocol::WithCallbackMethod_ModelMetadata, Protocol::WithCallbackMethod_ModelConfig,
              Protocol::WithCallbackMethod_ModelStatistics, Protocol::WithCallbackMethod_RepositoryIndex,
              Protocol::WithCallbackMethod_RepositoryModelLoad,
              Protocol::WithCallbackMethod_RepositoryModelUnload,
              Protocol::WithCallbackMethod_SystemSharedMemoryStatus,
              Protocol::WithCallbackMethod_SystemSharedMemoryRegister,
              Protocol::WithCallbackMethod_SystemSharedMemoryUnregister,
              Protocol::WithCallbackMethod_CudaSharedMemoryStatus,
              Protocol::WithCallbackMethod_CudaSharedMemoryRegister,
              Protocol::WithCallbackMethod_CudaSharedMemoryUnregister,
              Protocol::WithCallbackMethod_TraceSetting, Protocol::WithCallbackMethod_LogSettings>::Type;

Status check_repository(const std::string& repository) {
  if (!repository.empty()) {
    return unimplemented("there is one repository, without a name; '{}' was named", repository);
  }
  return ok_status();
}

/// Loading takes no configuration or files, unloading no dependents along.
Status check_repository_parameters(const RepositoryParameters& parameters) {
  for (const auto& [name, value] : parameters) {
    if (name != "unload_dependents" || value.bool_param()) {
      return unimplemented("parameter '{}' is not known: models are loaded as they lie in the repository",
                           name);
    }
  }
  return ok_status();
}

Status no_cuda_regions() {
  return unimplemented("CUDA shared memory is not offered by this server; use system shared memory, or none");
}

class GrpcService final : public ServiceBase {
 public:
  explicit GrpcService(std::shared_ptr<DoorState> door) : door_(std::move(door)) {}

  Reactor* ServerLive(Context* context, const inference::ServerLiveRequest*,
                      inference::ServerLiveResponse* to) override {
    return now(context, [&] {
      to->set_live(models().is_live());
      return ok_status();
    });
  }

  Reactor* ServerReady(Context* context, const inference::ServerReadyRequest*,
                       inference::ServerReadyResponse* to) override {
    return now(context, [&] {
      to->set_ready(door_->check_open().ok() && models().is_ready());
      return ok_status();
    });
  }

  Reactor* ModelReady(Context* context, const inference::ModelReadyRequest* request,
                      inference::ModelReadyResponse* to) override {
    return now(context, [&] {
      to->set_ready(door_->check_open().ok() && models().is_model_ready(request->name(), request->version()));
      return ok_status();
    });
  }

  Reactor* ServerMetadata(Context* context, const inference::ServerMetadataRequest*,
                          inference::ServerMetadataResponse* to) override {
    return now(context, [&] {
      fill_server_metadata(door_->options(), *to);
      return ok_status();
    });
  }

  Reactor* ModelMetadata(Context* context, const inference::ModelMetadataRequest* request,
                         inference::ModelMetadataResponse* to) override {
    return now(context, [&]() -> Status {
      FOREBAY_ASSIGN_OR_RETURN(const auto metadata, models().metadata(request->name(), request->version()));
      fill_metadata(metadata, *to);
      return ok_status();
    });
  }

  Reactor* ModelConfig(Context* context, const inference::ModelConfigRequest* request,
                       inference::ModelConfigResponse* to) override {
    return now(context, [&]() -> Status {
      FOREBAY_ASSIGN_OR_RETURN(const std::string json,
                               models().config_json(request->name(), request->version()));
      return fill_config(json, request->name(), *to->mutable_config());
    });
  }

  Reactor* ModelStatistics(Context* context, const inference::ModelStatisticsRequest* request,
                           inference::ModelStatisticsResponse* to) override {
    return now(context, [&]() -> Status {
      FOREBAY_ASSIGN_OR_RETURN(const auto all, models().statistics(request->name(), request->version()));
      for (const auto& statistics : all) {
        fill_statistics(statistics, *to->add_model_stats());
      }
      return ok_status();
    });
  }

  Reactor* RepositoryIndex(Context* context, const inference::RepositoryIndexRequest* request,
                           inference::RepositoryIndexResponse* to) override {
    return now(context, [&]() -> Status {
      FOREBAY_RETURN_IF_ERROR(check_repository(request->repository_name()));
      fill_index(models().index(request->ready()), *to);
      return ok_status();
    });
  }

  Reactor* RepositoryModelLoad(Context* context, const inference::RepositoryModelLoadRequest* request,
                               inference::RepositoryModelLoadResponse*) override {
    return change(context, *request,
                  [this](const std::string& name, auto done) { models().load(name, std::move(done)); });
  }

  Reactor* RepositoryModelUnload(Context* context, const inference::RepositoryModelUnloadRequest* request,
                                 inference::RepositoryModelUnloadResponse*) override {
    return change(context, *request,
                  [this](const std::string& name, auto done) { models().unload(name, std::move(done)); });
  }

  Reactor* SystemSharedMemoryStatus(Context* context,
                                    const inference::SystemSharedMemoryStatusRequest* request,
                                    inference::SystemSharedMemoryStatusResponse* to) override {
    return now(context, [&]() -> Status {
      if (extensions().regions == nullptr) {
        return no_regions();
      }
      FOREBAY_ASSIGN_OR_RETURN(const auto regions, extensions().regions(request->name()));
      fill_regions(regions, *to);
      return ok_status();
    });
  }

  Reactor* SystemSharedMemoryRegister(Context* context,
                                      const inference::SystemSharedMemoryRegisterRequest* request,
                                      inference::SystemSharedMemoryRegisterResponse*) override {
    return now(context, [&] {
      return extensions().add_region == nullptr
                 ? no_regions()
                 : extensions().add_region(
                       {request->name(), request->key(), request->offset(), request->byte_size()});
    });
  }

  Reactor* SystemSharedMemoryUnregister(Context* context,
                                        const inference::SystemSharedMemoryUnregisterRequest* request,
                                        inference::SystemSharedMemoryUnregisterResponse*) override {
    return now(context, [&] {
      return extensions().remove_region == nullptr ? no_regions()
                                                   : extensions().remove_region(request->name());
    });
  }

  Reactor* CudaSharedMemoryStatus(Context* context, const inference::CudaSharedMemoryStatusRequest*,
                                  inference::CudaSharedMemoryStatusResponse*) override {
    return now(context, [] { return ok_status(); });  // there are none
  }

  Reactor* CudaSharedMemoryRegister(Context* context, const inference::CudaSharedMemoryRegisterRequest*,
                                    inference::CudaSharedMemoryRegisterResponse*) override {
    return now(context, [] { return no_cuda_regions(); });
  }

  Reactor* CudaSharedMemoryUnregister(Context* context, const inference::CudaSharedMemoryUnregisterRequest*,
                                      inference::CudaSharedMemoryUnregisterResponse*) override {
    return now(context, [] { return ok_status(); });  // as of any name that is not registered
  }

  Reactor* TraceSetting(Context* context, const inference::TraceSettingRequest* request,
                        inference::TraceSettingResponse* to) override {
    return now(context, [&] { return fill_trace_settings(door_->options(), *request, *to); });
  }

  Reactor* LogSettings(Context* context, const inference::LogSettingsRequest* request,
                       inference::LogSettingsResponse* to) override {
    return now(context, [&] { return fill_log_settings(door_->options(), *request, *to); });
  }

  Reactor* ModelInfer(Context* context, const grpc::ByteBuffer* request, grpc::ByteBuffer* response) override;
  StreamReactor* ModelStreamInfer(Context* context) override;

 private:
  ModelServer& models() const { return door_->models(); }
  const TensorExtensions& extensions() const { return door_->options().extensions; }

  static Status no_regions() { return unimplemented("shared memory is not offered by this server"); }

  /// A call that is answered at once, by what `fill` returns.
  template <class Fill>
  Reactor* now(Context* context, const Fill& fill) const {
    return end_now(context, caught([&]() -> Status {
                     FOREBAY_RETURN_IF_ERROR(door_->check_token(*context));
                     return fill();
                   }));
  }

  static Reactor* end_now(Context* context, const Status& status) {
    Reactor* const reactor = context->DefaultReactor();
    reactor->Finish(to_grpc(status));
    return reactor;
  }

  /// A call that `start` answers, or gives to who will. What it returns or throws ends the call.
  template <class Start>
  Reactor* later(Context* context, grpc::ByteBuffer* response, const Start& start) {
    std::shared_ptr<PendingCall> call;
    const Status status = caught([&]() -> Status {
      call = PendingCall::begin(door_, response);
      FOREBAY_RETURN_IF_ERROR(door_->check_token(*context));
      return start(call);
    });
    if (call == nullptr) {
      return end_now(context, status);
    }
    if (!status.ok()) {
      call->finish(status);
    }
    return call.get();
  }

  template <class Request, class Change>
  Reactor* change(Context* context, const Request& request, const Change& change) {
    std::shared_ptr<PendingCall> asked;  // outlives what is thrown, so that this is the call's error
    return later(context, nullptr, [&](const std::shared_ptr<PendingCall>& call) -> Status {
      FOREBAY_RETURN_IF_ERROR(check_change(request));
      asked = PendingCall::until_answered(call);
      change(request.model_name(), [asked](const Status& done) { asked->finish(done); });
      return ok_status();
    });
  }

  template <class Request>
  Status check_change(const Request& request) const {
    FOREBAY_RETURN_IF_ERROR(door_->check_open());
    FOREBAY_RETURN_IF_ERROR(check_repository(request.repository_name()));
    return check_repository_parameters(request.parameters());
  }

  const std::shared_ptr<DoorState> door_;
};

void finish_call(PendingCall& call, RequestOutcome outcome) {
  const Status status = caught([&]() -> Status {
    FOREBAY_RETURN_IF_ERROR(outcome.status);
    FOREBAY_ASSIGN_OR_RETURN(grpc::ByteBuffer message, write_response(outcome.response, outcome.outputs));
    return call.answer(std::move(message), std::move(outcome.place));
  });
  if (!status.ok()) {
    call.finish(status);
  }
}

Reactor* GrpcService::ModelInfer(Context* context, const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) {
  return later(context, response, [&](const std::shared_ptr<PendingCall>& call) -> Status {
    begin_request(door_, *request, {deadline_ns_of(context->deadline()), call->cancel_token()},
                  [call](RequestOutcome outcome) { finish_call(*call, std::move(outcome)); });
    return ok_status();
  });
}

StreamReactor* GrpcService::ModelStreamInfer(Context* context) {
  StreamReactor* stream = nullptr;
  const Status status = caught([&]() -> Status {
    FOREBAY_RETURN_IF_ERROR(door_->check_token(*context));
    stream = StreamCall::begin(door_, deadline_ns_of(context->deadline()));
    return ok_status();
  });
  return status.ok() ? stream : refuse_stream(status);
}

}  // namespace

std::unique_ptr<grpc::Service> make_grpc_service(std::shared_ptr<DoorState> door) {
  return std::make_unique<GrpcService>(std::move(door));
}

}  // namespace forebay::serving
