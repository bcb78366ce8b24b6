// The border between Forebay and libraries of operators: plain C, so that both sides may come from different
// compilers, in different years. C++ authors use operator.h, which is written over this file.
//
// A library exports two functions: `forebay_plugin_abi` gives the version of this file that it was compiled
// with, and `forebay_plugin_library` its table of operators. Both are looked for when it is loaded, and the
// first is called before anything else.
//
// Versions. A library works with every Forebay of the same major version and the same or a later minor one. A
// minor version adds members at the ends of structs and kinds that older libraries never meet; each struct
// begins with its size, and arrays hold pointers, so either side reads only what the other has. A major
// version may change anything but the two symbols and the type of the first.
//
// Memory. Whatever a struct points to belongs to who made the struct. What the library gives must stay as it
// is until the process ends; it is never unloaded. What Forebay gives is valid until the function returns.
//
// Threads. `create`, `infer` and `run` are called from any thread, and for several samples of a batch at
// once, with the same instance; an instance is therefore constant after `create`. `destroy` is called once,
// when no other call is under way. After fork() the child may call all of them.
//
// Errors. Functions return a ForebayPluginStatus; for one that is not 0 they may write a text of one or more
// sentences into `error`. No exception may cross this border.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FOREBAY_PLUGIN_ABI_MAJOR 1
#define FOREBAY_PLUGIN_ABI_MINOR 0
#define FOREBAY_PLUGIN_ABI (((uint32_t)FOREBAY_PLUGIN_ABI_MAJOR << 16) | (uint32_t)FOREBAY_PLUGIN_ABI_MINOR)

#define FOREBAY_PLUGIN_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

enum {
  kForebayPluginMaxRank = 8,
  kForebayPluginLayoutBytes = 16,  // of a layout's text, with the zero that ends it
};

// What a function returns. In Python an error is a forebay.SampleError, or while the graph is written the
// exception in brackets.
enum ForebayPluginStatus {
  kForebayPluginOk = 0,
  kForebayPluginInvalidArgument = 1,     // the caller's mistake [ValueError]
  kForebayPluginNotFound = 2,            // [FileNotFoundError]
  kForebayPluginDataLoss = 3,            // the bytes of the sample are broken [RuntimeError]
  kForebayPluginOutOfRange = 4,          // [IndexError]
  kForebayPluginResourceExhausted = 5,   // [MemoryError]
  kForebayPluginUnimplemented = 6,       // [NotImplementedError]
  kForebayPluginFailedPrecondition = 7,  // [RuntimeError]
  kForebayPluginUnavailable = 8,         // may work later or elsewhere [RuntimeError]
  kForebayPluginPermissionDenied = 9,    // [PermissionError]
  kForebayPluginInternal = 10,           // a bug of the operator [RuntimeError]
  // A function of ForebayPluginHost has failed. Hand it on as it is: Forebay knows the error, and frees
  // memory and runs the sample again if memory was refused.
  kForebayPluginHostError = 100,
};

// Element types. The numbers are those of DALIDataType.
enum ForebayPluginDType {
  kForebayPluginUint8 = 0,
  kForebayPluginUint16 = 1,
  kForebayPluginUint32 = 2,
  kForebayPluginUint64 = 3,
  kForebayPluginInt8 = 4,
  kForebayPluginInt16 = 5,
  kForebayPluginInt32 = 6,
  kForebayPluginInt64 = 7,
  kForebayPluginFloat16 = 8,
  kForebayPluginFloat = 9,
  kForebayPluginFloat64 = 10,
  kForebayPluginBool = 11,
};

// What a parameter takes.
enum ForebayPluginKind {
  kForebayPluginKindNone = 0,  // only of values: there is none
  kForebayPluginKindBool = 1,
  kForebayPluginKindInt = 2,
  kForebayPluginKindFloat = 3,
  kForebayPluginKindString = 4,
  kForebayPluginKindIntList = 5,
  kForebayPluginKindFloatList = 6,
  kForebayPluginKindStringList = 7,
  kForebayPluginKindDType = 8,      // ForebayPluginDType
  kForebayPluginKindImageType = 9,  // DALIImageType: RGB 0, BGR 1, GRAY 2, YCbCr 3, ANY_DATA 4
  kForebayPluginKindInterpType =
      10,  // DALIInterpType: nearest 0, linear 1, cubic 2, Lanczos 3, triangle 4, Gauss 5
  kForebayPluginKindLayout = 11,  // "HWC"
};

// Where the text of an error goes: at most `capacity` bytes at `text`, with the zero that ends it. The text
// is empty at first.
typedef struct ForebayPluginError {
  uint32_t struct_bytes;
  uint32_t capacity;
  char* text;
} ForebayPluginError;

// Any bytes; no zero ends them.
typedef struct ForebayPluginText {
  const char* data;
  size_t bytes;
} ForebayPluginText;

// A constant. `kind` says which of the members hold it.
typedef struct ForebayPluginValue {
  uint32_t struct_bytes;
  int32_t kind;
  int64_t integer;          // bool (0 or 1), int, dtype, image type, interpolation
  double number;            // float
  ForebayPluginText text;   // string, layout
  size_t count;             // of a list's items
  const int64_t* integers;  // null if there are none
  const double* numbers;
  const ForebayPluginText* texts;
} ForebayPluginValue;

enum ForebayPluginParameterFlags {
  kForebayPluginTakesTensor =
      1,  // kinds bool, int, float, list of int, list of float: may come with each sample
  kForebayPluginIsRequired = 2,
};

typedef struct ForebayPluginParameter {
  uint32_t struct_bytes;
  int32_t kind;
  const char* name;  // [A-Za-z_][A-Za-z0-9_]*, and no keyword of Python
  const char* doc;   // sentences
  uint32_t flags;
  uint32_t choice_count;  // for strings: the allowed values; 0: any
  const char* const* choices;
  const ForebayPluginValue* default_value;  // of the parameter's kind; null: none
} ForebayPluginParameter;

typedef struct ForebayPluginInput {
  uint32_t struct_bytes;
  uint32_t reserved;  // 0
  const char* name;
  const char* doc;
} ForebayPluginInput;

// An argument as `create` gets it.
typedef struct ForebayPluginArgument {
  uint32_t struct_bytes;
  int32_t is_given;   // 1: by the user
  int32_t is_tensor;  // 1: its values come with each sample
  uint32_t reserved;
  const ForebayPluginValue* value;  // the constant, else the default, else of kind none; never null
} ForebayPluginArgument;

typedef struct ForebayPluginArguments {
  uint32_t struct_bytes;
  uint32_t input_count;     // that the operator will get
  uint32_t argument_count;  // one for each parameter, in their order
  uint32_t reserved;
  const ForebayPluginArgument* const* arguments;
} ForebayPluginArguments;

// A dense tensor in host memory, the last axis innermost.
typedef struct ForebayPluginTensor {
  uint32_t struct_bytes;
  int32_t dtype;
  int32_t rank;  // 0 (one element) to kForebayPluginMaxRank
  uint32_t reserved;
  int64_t shape[kForebayPluginMaxRank];
  char layout[kForebayPluginLayoutBytes];  // a letter an axis, "HWC"; empty: unknown
  void* data;  // inputs and arguments must not be written; may be null if it has no elements
} ForebayPluginTensor;

typedef struct ForebayPluginCall ForebayPluginCall;  // Forebay's own

typedef struct ForebayPluginRandom {
  uint64_t state[16];  // Forebay's own
} ForebayPluginRandom;

// One item of parallel_for.
typedef int32_t (*ForebayPluginBody)(void* data, int64_t item, ForebayPluginError* error);

// What Forebay does for an operator while it runs. Lives as long as the process. Functions that return an
// int32_t return 0 or kForebayPluginHostError.
typedef struct ForebayPluginHost {
  uint32_t struct_bytes;
  uint32_t abi;  // the version that Forebay was compiled with

  // Memory for as long as the sample is at this operator, aligned to 64 bytes, with unspecified content;
  // counted against the pipeline's memory limit. Not from within parallel_for.
  int32_t (*scratch)(ForebayPluginCall* call, size_t bytes, void** memory);

  // The elements of tensor argument number `argument`, converted; `count` must be how many it has. Floats are
  // truncated towards zero to become integers.
  int32_t (*read_integers)(ForebayPluginCall* call, uint32_t argument, int64_t* values, size_t count);
  int32_t (*read_floats)(ForebayPluginCall* call, uint32_t argument, float* values, size_t count);

  // Calls body(data, 0 .. count - 1), possibly on several threads and in any order; returns when all are
  // done. Of several errors that of the lowest item counts.
  int32_t (*parallel_for)(ForebayPluginCall* call, int64_t count, ForebayPluginBody body, void* data);

  // Sets `random` to the beginning of a stream of this sample's random numbers (Philox4x32-10). They depend
  // on seed, epoch, operator and position only, not on threads, batch size or restart. Streams with different
  // numbers are independent. One thread at a time uses a stream.
  void (*start_random)(ForebayPluginCall* call, uint32_t stream, ForebayPluginRandom* random);
  uint32_t (*random_u32)(ForebayPluginRandom* random);
  uint64_t (*random_u64)(ForebayPluginRandom* random);
  double (*random_double)(ForebayPluginRandom* random);                       // uniform in [0, 1), 53 bits
  float (*random_float)(ForebayPluginRandom* random, float low, float high);  // uniform in [low, high)
  uint64_t (*random_below)(ForebayPluginRandom* random, uint64_t bound);      // uniform in [0, bound)
  double (*random_normal)(ForebayPluginRandom* random);                       // mean 0, deviation 1
} ForebayPluginHost;

// A sample at an operator.
typedef struct ForebayPluginSample {
  uint32_t struct_bytes;
  uint32_t input_count;
  uint32_t argument_count;
  uint32_t output_count;
  const ForebayPluginTensor* const* inputs;
  const ForebayPluginTensor* const* arguments;  // one for each parameter; null for those that are constants
  // For `infer` to fill in: dtype, rank, shape and layout; the dtype is -1 at first. For `run`: as they were
  // filled in, with memory.
  ForebayPluginTensor* const* outputs;
  int64_t epoch;
  int64_t position;      // in the epoch's global order
  int64_t sample_index;  // in the data set; -1 for samples that were fed
  const ForebayPluginHost* host;
  ForebayPluginCall* call;  // for the functions of `host`
} ForebayPluginSample;

enum ForebayPluginOperatorFlags {
  kForebayPluginIsRandom = 1,  // draws random numbers: takes the argument `seed`
  kForebayPluginIsClose = 2,   // results may differ between machines within the tolerance that `doc` states
};

typedef struct ForebayPluginOperator {
  uint32_t struct_bytes;
  uint32_t flags;
  const char* name;        // its path below `fn`, "my_lab.blend": names as above that do not begin with `_`
  const char* doc;         // the first line is one sentence
  const char* output_doc;  // may be null
  const char* source;      // whose behaviour it matches, or the paper; may be null
  uint32_t input_count;    // that are described; the last stands for all further ones if max_inputs is larger
  uint32_t min_inputs;
  uint32_t max_inputs;
  uint32_t output_count;  // 0: count_outputs says it
  const ForebayPluginInput* const* inputs;
  const ForebayPluginParameter* const* parameters;
  uint32_t parameter_count;
  uint32_t reserved;
  void* context;  // passed to `create`

  // Makes an operator with its arguments set, from arguments that fit the parameters. May be called several
  // times for one operator of a graph, and for a graph that never runs.
  int32_t (*create)(void* context, const ForebayPluginArguments* arguments, void** instance,
                    ForebayPluginError* error);
  void (*destroy)(void* instance);
  // May be null if output_count is not 0.
  int32_t (*count_outputs)(const void* instance, uint32_t* count, ForebayPluginError* error);
  // Says what the outputs will be, before memory is taken for them. May read inputs.
  int32_t (*infer)(const void* instance, const ForebayPluginSample* sample, ForebayPluginError* error);
  // Writes all bytes of the outputs.
  int32_t (*run)(const void* instance, const ForebayPluginSample* sample, ForebayPluginError* error);
} ForebayPluginOperator;

typedef struct ForebayPluginLibrary {
  uint32_t struct_bytes;
  uint32_t operator_count;
  const char* name;     // [A-Za-z_][A-Za-z0-9_]*
  const char* version;  // of the library, any text; may be null
  const ForebayPluginOperator* const* operators;
} ForebayPluginLibrary;

// What a library exports: FOREBAY_PLUGIN_ABI, and its table. Both may be called more than once; null is an
// error.
FOREBAY_PLUGIN_EXPORT uint32_t forebay_plugin_abi(void);
FOREBAY_PLUGIN_EXPORT const ForebayPluginLibrary* forebay_plugin_library(const ForebayPluginHost* host,
                                                                         ForebayPluginError* error);

#ifdef __cplusplus
}
#endif
