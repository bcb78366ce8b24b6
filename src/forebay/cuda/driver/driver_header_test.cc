// Compares the declarations of driver_functions.h with CUDA's own header, if a build has it.
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "forebay/cuda/driver/driver_functions.h"
#include "forebay/cuda/testing/passed_type.h"

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace forebay::cuda {

template <>
struct Passed<CUmemLocation> {
  using Type = MemoryPlace;
};
template <>
struct Passed<CUmemPoolProps> {
  using Type = MemoryPoolProperties;
};
template <>
struct Passed<CUgraphExecUpdateResultInfo> {
  using Type = GraphUpdateResult;
};

namespace {

#define FOREBAY_CUDA_HOLD(member, symbol, parameters)                                               \
  static_assert(std::is_same_v<decltype(DriverFunctions::member), Passed<decltype(&symbol)>::Type>, \
                #symbol " has other parameters");                                                   \
  static_assert(are_equal(#symbol, FOREBAY_EXPANDED_TEXT(symbol)), #symbol " has a newer version");
FOREBAY_CUDA_FUNCTIONS(FOREBAY_CUDA_HOLD)
#undef FOREBAY_CUDA_HOLD

static_assert(std::is_same_v<Address, CUdeviceptr>);
static_assert(sizeof(CUresult) == sizeof(int));
static_assert(sizeof(MemoryPlace) == sizeof(CUmemLocation));
static_assert(offsetof(MemoryPlace, kind) == offsetof(CUmemLocation, type));
static_assert(offsetof(MemoryPlace, number) == offsetof(CUmemLocation, id));
static_assert(sizeof(MemoryPoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(MemoryPoolProperties, allocation_kind) == offsetof(CUmemPoolProps, allocType));
static_assert(offsetof(MemoryPoolProperties, handle_kinds) == offsetof(CUmemPoolProps, handleTypes));
static_assert(offsetof(MemoryPoolProperties, place) == offsetof(CUmemPoolProps, location));
static_assert(offsetof(MemoryPoolProperties, security_attributes) ==
              offsetof(CUmemPoolProps, win32SecurityAttributes));
static_assert(offsetof(MemoryPoolProperties, maximum_bytes) == offsetof(CUmemPoolProps, maxSize));
static_assert(offsetof(MemoryPoolProperties, usage) == offsetof(CUmemPoolProps, usage));
static_assert(sizeof(GraphUpdateResult) == sizeof(CUgraphExecUpdateResultInfo));
static_assert(offsetof(GraphUpdateResult, result) == offsetof(CUgraphExecUpdateResultInfo, result));
static_assert(offsetof(GraphUpdateResult, node) == offsetof(CUgraphExecUpdateResultInfo, errorNode));
static_assert(offsetof(GraphUpdateResult, node_before) ==
              offsetof(CUgraphExecUpdateResultInfo, errorFromNode));

static_assert(kSuccess == CUDA_SUCCESS);
static_assert(kErrorInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(kErrorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(kErrorNotInitialized == CUDA_ERROR_NOT_INITIALIZED);
static_assert(kErrorDeinitialized == CUDA_ERROR_DEINITIALIZED);
static_assert(kErrorStubLibrary == CUDA_ERROR_STUB_LIBRARY);
static_assert(kErrorNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(kErrorInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
static_assert(kErrorUncorrectable == CUDA_ERROR_ECC_UNCORRECTABLE);
static_assert(kErrorLinkUncorrectable == CUDA_ERROR_NVLINK_UNCORRECTABLE);
static_assert(kErrorNotReady == CUDA_ERROR_NOT_READY);
static_assert(kErrorIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(kErrorLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT);
static_assert(kErrorContextDestroyed == CUDA_ERROR_CONTEXT_IS_DESTROYED);
static_assert(kErrorAssert == CUDA_ERROR_ASSERT);
static_assert(kErrorHardwareStack == CUDA_ERROR_HARDWARE_STACK_ERROR);
static_assert(kErrorLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(kErrorNotSupported == CUDA_ERROR_NOT_SUPPORTED);
static_assert(kErrorDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
static_assert(kErrorCaptureSpoilt == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
static_assert(kErrorGraphOfAnotherShape == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(kEventBlockingWait == CU_EVENT_BLOCKING_SYNC);
static_assert(kEventWithoutTiming == CU_EVENT_DISABLE_TIMING);
static_assert(kHostMemoryPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(kManagedForAll == CU_MEM_ATTACH_GLOBAL);
static_assert(kCaptureOfThisThread == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(kMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(kCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(kCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(kConcurrentManagedAccess == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
static_assert(kMemoryPoolsSupported == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
static_assert(kPoolReleaseThreshold == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
static_assert(kPoolReservedBytes == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
static_assert(kLastPrefetchPlace == CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION);
static_assert(kPlaceDevice == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(kPlaceHost == CU_MEM_LOCATION_TYPE_HOST);
static_assert(kAllocationPinned == CU_MEM_ALLOCATION_TYPE_PINNED);

TEST(DriverHeader, DeclaresWhatWeCall) {
  SUCCEED() << "held when this file was compiled, against CUDA " << CUDA_VERSION;
}

}  // namespace
}  // namespace forebay::cuda

#else

TEST(DriverHeader, DeclaresWhatWeCall) {
  GTEST_SKIP() << "this build has no cuda.h; `make cuda` makes one that has";
}

#endif
