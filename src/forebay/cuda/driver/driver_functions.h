// The functions of NVIDIA's driver that Forebay calls. They are looked up in libcuda.so.1 on first use, so
// nothing links to the driver, and the same program runs on a machine without one.
//
// The types are declared here as they cross the binary interface (enumerations as int), so no build needs
// CUDA's headers; driver_header_test.cc compares each line with cuda.h if that is available. For what a
// function does, see the CUDA Driver API reference, docs.nvidia.com/cuda/cuda-driver-api.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/base/status.h"

struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUmemPoolHandle_st;
struct CUmod_st;
struct CUstream_st;

namespace forebay::cuda {

using ContextHandle = CUctx_st*;
using EventHandle = CUevent_st*;
using FunctionHandle = CUfunc_st*;
using GraphHandle = CUgraph_st*;
using GraphNodeHandle = CUgraphNode_st*;
using LaunchableGraphHandle = CUgraphExec_st*;
using MemoryPoolHandle = CUmemPoolHandle_st*;
using ModuleHandle = CUmod_st*;
using StreamHandle = CUstream_st*;
using Address = unsigned long long;  // of memory that a device can access
using HostFunction = void (*)(void* context);

/// CUmemLocation.
struct MemoryPlace {
  int kind = 0;  // kPlaceDevice, kPlaceHost
  int number = 0;
};

/// CUmemPoolProps.
struct MemoryPoolProperties {
  int allocation_kind = 0;  // kAllocationPinned
  int handle_kinds = 0;
  MemoryPlace place;
  void* security_attributes = nullptr;
  size_t maximum_bytes = 0;  // 0: the system's limit
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

/// CUgraphExecUpdateResultInfo.
struct GraphUpdateResult {
  int result = 0;
  GraphNodeHandle node = nullptr;
  GraphNodeHandle node_before = nullptr;
};

// Results.
inline constexpr int kSuccess = 0;
inline constexpr int kErrorInvalidValue = 1;
inline constexpr int kErrorOutOfMemory = 2;
inline constexpr int kErrorNotInitialized = 3;
inline constexpr int kErrorDeinitialized = 4;
inline constexpr int kErrorStubLibrary = 34;
inline constexpr int kErrorNoDevice = 100;
inline constexpr int kErrorInvalidDevice = 101;
inline constexpr int kErrorUncorrectable = 214;
inline constexpr int kErrorLinkUncorrectable = 220;
inline constexpr int kErrorNotReady = 600;
inline constexpr int kErrorIllegalAddress = 700;
inline constexpr int kErrorLaunchTimeout = 702;
inline constexpr int kErrorContextDestroyed = 709;
inline constexpr int kErrorAssert = 710;
inline constexpr int kErrorHardwareStack = 714;
inline constexpr int kErrorLaunchFailed = 719;
inline constexpr int kErrorNotSupported = 801;
inline constexpr int kErrorDriverMismatch = 803;
inline constexpr int kErrorCaptureSpoilt = 901;
inline constexpr int kErrorGraphOfAnotherShape = 910;
// Flags.
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventBlockingWait = 1;
inline constexpr unsigned kEventWithoutTiming = 2;
inline constexpr unsigned kHostMemoryPortable = 1;
inline constexpr unsigned kManagedForAll = 1;
inline constexpr int kCaptureOfThisThread = 1;
// Attributes of devices, pools and managed memory.
inline constexpr int kMultiprocessors = 16;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kConcurrentManagedAccess = 89;
inline constexpr int kMemoryPoolsSupported = 115;
inline constexpr int kPoolReleaseThreshold = 4;
inline constexpr int kPoolReservedBytes = 5;
inline constexpr int kLastPrefetchPlace = 4;
inline constexpr int kPlaceDevice = 1;
inline constexpr int kPlaceHost = 2;
inline constexpr int kAllocationPinned = 1;

/// X(member, symbol in libcuda.so.1, parameters)
#define FOREBAY_CUDA_FUNCTIONS(X)                                                                      \
  X(initialize, cuInit, (unsigned flags))                                                              \
  X(driver_version, cuDriverGetVersion, (int* version))                                                \
  X(error_name, cuGetErrorName, (int error, const char** name))                                        \
  X(error_string, cuGetErrorString, (int error, const char** text))                                    \
  X(device_count, cuDeviceGetCount, (int* count))                                                      \
  X(device_get, cuDeviceGet, (int* device, int number))                                                \
  X(device_name, cuDeviceGetName, (char* name, int length, int device))                                \
  X(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, int device))                                  \
  X(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, int device))                   \
  X(context_retain, cuDevicePrimaryCtxRetain, (ContextHandle * context, int device))                   \
  X(context_release, cuDevicePrimaryCtxRelease_v2, (int device))                                       \
  X(context_push, cuCtxPushCurrent_v2, (ContextHandle context))                                        \
  X(context_pop, cuCtxPopCurrent_v2, (ContextHandle * context))                                        \
  X(context_synchronize, cuCtxSynchronize, ())                                                         \
  X(stream_create, cuStreamCreate, (StreamHandle * stream, unsigned flags))                            \
  X(stream_destroy, cuStreamDestroy_v2, (StreamHandle stream))                                         \
  X(stream_wait_event, cuStreamWaitEvent, (StreamHandle stream, EventHandle event, unsigned flags))    \
  X(stream_query, cuStreamQuery, (StreamHandle stream))                                                \
  X(stream_synchronize, cuStreamSynchronize, (StreamHandle stream))                                    \
  X(event_create, cuEventCreate, (EventHandle * event, unsigned flags))                                \
  X(event_destroy, cuEventDestroy_v2, (EventHandle event))                                             \
  X(event_record, cuEventRecord, (EventHandle event, StreamHandle stream))                             \
  X(event_query, cuEventQuery, (EventHandle event))                                                    \
  X(event_synchronize, cuEventSynchronize, (EventHandle event))                                        \
  X(memory_info, cuMemGetInfo_v2, (size_t * free_bytes, size_t * total_bytes))                         \
  X(memory_allocate, cuMemAlloc_v2, (Address * address, size_t bytes))                                 \
  X(memory_free, cuMemFree_v2, (Address address))                                                      \
  X(host_allocate, cuMemHostAlloc, (void** pointer, size_t bytes, unsigned flags))                     \
  X(host_free, cuMemFreeHost, (void* pointer))                                                         \
  X(managed_allocate, cuMemAllocManaged, (Address * address, size_t bytes, unsigned flags))            \
  X(managed_prefetch, cuMemPrefetchAsync_v2,                                                           \
    (Address address, size_t bytes, MemoryPlace place, unsigned flags, StreamHandle stream))           \
  X(managed_attribute, cuMemRangeGetAttribute,                                                         \
    (void* value, size_t value_bytes, int attribute, Address address, size_t bytes))                   \
  X(pool_create, cuMemPoolCreate, (MemoryPoolHandle * pool, const MemoryPoolProperties* properties))   \
  X(pool_destroy, cuMemPoolDestroy, (MemoryPoolHandle pool))                                           \
  X(pool_set, cuMemPoolSetAttribute, (MemoryPoolHandle pool, int attribute, void* value))              \
  X(pool_get, cuMemPoolGetAttribute, (MemoryPoolHandle pool, int attribute, void* value))              \
  X(pool_trim, cuMemPoolTrimTo, (MemoryPoolHandle pool, size_t kept_bytes))                            \
  X(pool_allocate, cuMemAllocFromPoolAsync,                                                            \
    (Address * address, size_t bytes, MemoryPoolHandle pool, StreamHandle stream))                     \
  X(pool_free, cuMemFreeAsync, (Address address, StreamHandle stream))                                 \
  X(copy, cuMemcpyAsync, (Address destination, Address source, size_t bytes, StreamHandle stream))     \
  X(module_load, cuModuleLoadData, (ModuleHandle * module, const void* image))                         \
  X(module_unload, cuModuleUnload, (ModuleHandle module))                                              \
  X(module_function, cuModuleGetFunction,                                                              \
    (FunctionHandle * function, ModuleHandle module, const char* name))                                \
  X(launch, cuLaunchKernel,                                                                            \
    (FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,     \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** arguments, \
     void** extra))                                                                                    \
  X(capture_begin, cuStreamBeginCapture_v2, (StreamHandle stream, int mode))                           \
  X(capture_end, cuStreamEndCapture, (StreamHandle stream, GraphHandle * graph))                       \
  X(graph_nodes, cuGraphGetNodes, (GraphHandle graph, GraphNodeHandle * nodes, size_t * count))        \
  X(graph_destroy, cuGraphDestroy, (GraphHandle graph))                                                \
  X(graph_make, cuGraphInstantiateWithFlags,                                                           \
    (LaunchableGraphHandle * made, GraphHandle graph, unsigned long long flags))                       \
  X(graph_update, cuGraphExecUpdate_v2,                                                                \
    (LaunchableGraphHandle made, GraphHandle graph, GraphUpdateResult * result))                       \
  X(graph_launch, cuGraphLaunch, (LaunchableGraphHandle made, StreamHandle stream))                    \
  X(graph_drop, cuGraphExecDestroy, (LaunchableGraphHandle made))                                      \
  X(launch_host, cuLaunchHostFunc, (StreamHandle stream, HostFunction function, void* context))

/// The functions; each returns one of the results above or another of CUDA's. All may be called from any
/// thread. CUDA's reference says which of them need a current context.
struct DriverFunctions {
#define FOREBAY_CUDA_MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
  FOREBAY_CUDA_FUNCTIONS(FOREBAY_CUDA_MEMBER)
#undef FOREBAY_CUDA_MEMBER
};

/// Forebay needs a driver for CUDA 12.2 or newer.
inline constexpr int kOldestDriver = 12020;

/// The functions of this machine's driver, looked up and initialised by the first call; the table lives as
/// long as the process. failed_precondition, the same each time, if there is no driver, it is older than
/// kOldestDriver, or it has no usable device: the message says what is missing and what to do. Thread safe.
Result<const DriverFunctions*> driver_functions();

/// Looks up the functions in the library with that name without initialising the driver; the first step of
/// driver_functions(). The library stays loaded.
Result<DriverFunctions> load_driver_functions(const char* library);

}  // namespace forebay::cuda
