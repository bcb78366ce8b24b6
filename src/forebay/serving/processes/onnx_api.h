// ONNX Runtime's C interface, as far as it is used here: a table of functions, whose positions never change.
// Declared here, as the library is looked up at run time and its header need not be installed.
// Source: onnxruntime_c_api.h of ONNX Runtime, struct OrtApi, of which version 1 ends at position 101.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace forebay::serving {

// Objects of the library, seen only by pointers.
struct OrtEnv;
struct OrtStatus;  // null: it went well
struct OrtMemoryInfo;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtTypeInfo;
struct OrtShapeInfo;
struct OrtAllocator;

/// Positions in the table. All are there since its version 1.
enum class OrtEntry : size_t {
  kGetErrorCode = 1,
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetGraphOptimizationLevel = 23,
  kSetIntraOpThreads = 24,
  kInputCount = 30,
  kOutputCount = 31,
  kInputTypeInfo = 33,
  kOutputTypeInfo = 34,
  kInputName = 36,
  kOutputName = 37,
  kCreateTensor = 48,
  kCreateTensorWithData = 49,
  kTensorData = 51,
  kFillStrings = 52,
  kStringsLength = 53,
  kStringsContent = 54,
  kCastToShapeInfo = 55,
  kOnnxType = 56,
  kElementType = 60,
  kDimensionCount = 61,
  kDimensions = 62,
  kShapeInfo = 65,
  kCreateCpuMemoryInfo = 69,
  kAllocatorFree = 76,
  kDefaultAllocator = 78,
  kReleaseEnv = 92,
  kReleaseStatus = 93,
  kReleaseMemoryInfo = 94,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseTypeInfo = 98,
  kReleaseShapeInfo = 99,
  kReleaseSessionOptions = 100,
};

inline constexpr size_t kOrtEntries = 102;

/// The library's table.
struct OrtTable {
  std::array<void (*)(), kOrtEntries> entries;
};

struct OrtApiBase {
  const OrtTable* (*GetApi)(uint32_t version);
  const char* (*GetVersionString)();
};

/// The version of the table that is asked for: 11 is in every library since ONNX Runtime 1.11 (2022).
inline constexpr uint32_t kOrtVersion = 11;

// Values of its enumerations.
inline constexpr int kOrtLogWarning = 2;
inline constexpr int kOrtTypeTensor = 1;      // ONNX_TYPE_TENSOR
inline constexpr int kOrtArenaAllocator = 1;  // OrtArenaAllocator
inline constexpr int kOrtMemoryDefault = 0;   // OrtMemTypeDefault
inline constexpr int kOrtOptimizeAll = 99;    // ORT_ENABLE_ALL

}  // namespace forebay::serving
