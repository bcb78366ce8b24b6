// A library in plain C, but for the exception, whose operator lies in the way that its argument says.
#include <cstring>
#include <stdexcept>

#include "forebay/plugin/plugin_api.h"

namespace {

char lie_of_instance[64][32];
int instances = 0;

int32_t create(void*, const ForebayPluginArguments* arguments, void** instance, ForebayPluginError*) {
  const ForebayPluginText& lie = arguments->arguments[0]->value->text;
  char* const kept = lie_of_instance[instances++ % 64];
  const size_t length = lie.bytes < 31 ? lie.bytes : 31;
  std::memcpy(kept, lie.data, length);  // copy: a word
  kept[length] = '\0';
  *instance = kept;
  return kForebayPluginOk;
}

void destroy(void*) {
}

bool is(const void* instance, const char* lie) {
  return std::strcmp(static_cast<const char*>(instance), lie) == 0;
}

int32_t infer(const void* instance, const ForebayPluginSample* sample, ForebayPluginError*) {
  ForebayPluginTensor& out = *sample->outputs[0];
  if (is(instance, "nothing")) {
    return kForebayPluginOk;
  }
  out.dtype = kForebayPluginInt64;
  out.rank = 2;
  out.shape[0] = 2;
  out.shape[1] = 3;
  if (is(instance, "dtype")) {
    out.dtype = 77;
  } else if (is(instance, "rank")) {
    out.rank = 9;
  } else if (is(instance, "negative rank")) {
    out.rank = -1;
  } else if (is(instance, "negative")) {
    out.shape[1] = -3;
  } else if (is(instance, "overflow")) {
    out.shape[0] = out.shape[1] = int64_t{1} << 32;
  } else if (is(instance, "overflow of bytes")) {
    out.shape[0] = int64_t{1} << 61;
    out.shape[1] = 1;
  } else if (is(instance, "too large")) {
    out.shape[0] = int64_t{1} << 44;  // the whole address space of a process
    out.shape[1] = 1;
  } else if (is(instance, "layout")) {
    std::memcpy(out.layout, "HWC", 4);
  } else if (is(instance, "endless layout")) {
    std::memset(out.layout, 'A', sizeof(out.layout));
  } else if (is(instance, "odd layout")) {
    std::memcpy(out.layout, "H\x01", 3);
  } else if (is(instance, "struct")) {
    out.struct_bytes = 0;
    out.data = reinterpret_cast<void*>(1);
  }
  return kForebayPluginOk;
}

int32_t run(const void* instance, const ForebayPluginSample* sample, ForebayPluginError* error) {
  if (is(instance, "status")) {
    return 4711;
  }
  if (is(instance, "silent")) {
    return kForebayPluginUnavailable;
  }
  if (is(instance, "host error")) {
    return kForebayPluginHostError;
  }
  if (is(instance, "argument")) {
    int64_t value = 0;
    return sample->host->read_integers(sample->call, 99, &value, 1);
  }
  if (is(instance, "no call")) {
    return sample->host->scratch(nullptr, 1, nullptr);
  }
  if (is(instance, "no body")) {
    return sample->host->parallel_for(sample->call, 3, nullptr, nullptr);
  }
  if (is(instance, "text")) {
    std::memset(error->text, '\xfe', error->capacity);
    return kForebayPluginInternal;
  }
  if (is(instance, "throw")) {
    throw std::runtime_error("thrown across");
  }
  std::memset(sample->outputs[0]->data, 1, 48);
  return kForebayPluginOk;
}

const ForebayPluginParameter kLie = {sizeof(ForebayPluginParameter),
                                     kForebayPluginKindString,
                                     "lie",
                                     "Which.",
                                     kForebayPluginIsRequired,
                                     0,
                                     nullptr,
                                     nullptr};
const ForebayPluginParameter* const kParameters[] = {&kLie};

ForebayPluginOperator make_operator() {
  ForebayPluginOperator table = {};
  table.struct_bytes = sizeof(table);
  table.name = "lying.output";
  table.doc = "Lies.";
  table.output_count = 1;
  table.parameters = kParameters;
  table.parameter_count = 1;
  table.create = &create;
  table.destroy = &destroy;
  table.infer = &infer;
  table.run = &run;
  return table;
}
const ForebayPluginOperator kOperator = make_operator();
const ForebayPluginOperator* const kOperators[] = {&kOperator};
const ForebayPluginLibrary kLibrary = {sizeof(ForebayPluginLibrary), 1, "lying", nullptr, kOperators};

}  // namespace

extern "C" {
FOREBAY_PLUGIN_EXPORT uint32_t forebay_plugin_abi() {
  return FOREBAY_PLUGIN_ABI;
}

FOREBAY_PLUGIN_EXPORT const ForebayPluginLibrary* forebay_plugin_library(const ForebayPluginHost*,
                                                                         ForebayPluginError*) {
  return &kLibrary;
}
}
