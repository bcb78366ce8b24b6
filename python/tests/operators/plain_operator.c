/* A library of one operator in plain C: OPERATOR_NAME copies its input. */
#include <string.h>

#include "forebay/plugin/plugin_api.h"

static int32_t create(void* context, const ForebayPluginArguments* arguments, void** instance,
                      ForebayPluginError* error) {
  (void)context;
  (void)arguments;
  (void)error;
  *instance = NULL;
  return kForebayPluginOk;
}

static void destroy(void* instance) {
  (void)instance;
}

static int32_t infer(const void* instance, const ForebayPluginSample* sample, ForebayPluginError* error) {
  const ForebayPluginTensor* from = sample->inputs[0];
  ForebayPluginTensor* to = sample->outputs[0];
  (void)instance;
  if (from->dtype != kForebayPluginUint8) {
    strncpy(error->text, "only uint8 is copied", error->capacity - 1);
    return kForebayPluginInvalidArgument;
  }
  to->dtype = from->dtype;
  to->rank = from->rank;
  memcpy(to->shape, from->shape, sizeof(to->shape));
  memcpy(to->layout, from->layout, sizeof(to->layout));
  return kForebayPluginOk;
}

static int32_t run(const void* instance, const ForebayPluginSample* sample, ForebayPluginError* error) {
  size_t bytes = 1;
  (void)instance;
  (void)error;
  for (int32_t axis = 0; axis < sample->inputs[0]->rank; ++axis) {
    bytes *= (size_t)sample->inputs[0]->shape[axis];
  }
  if (bytes > 0) {
    memcpy(sample->outputs[0]->data, sample->inputs[0]->data, bytes);
  }
  return kForebayPluginOk;
}

static const ForebayPluginInput kInput = {sizeof(ForebayPluginInput), 0, "data", "uint8."};
static const ForebayPluginInput* const kInputs[] = {&kInput};
static const ForebayPluginOperator kOperator = {
    .struct_bytes = sizeof(ForebayPluginOperator),
    .name = OPERATOR_NAME,
    .doc = "Copies.",
    .output_doc = "The copy.",
    .input_count = 1,
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .inputs = kInputs,
    .create = create,
    .destroy = destroy,
    .infer = infer,
    .run = run,
};
static const ForebayPluginOperator* const kOperators[] = {&kOperator};
static const ForebayPluginLibrary kLibrary = {
    .struct_bytes = sizeof(ForebayPluginLibrary),
    .operator_count = 1,
    .name = "plain",
    .version = "1",
    .operators = kOperators,
};

uint32_t forebay_plugin_abi(void) {
  return FOREBAY_PLUGIN_ABI;
}

const ForebayPluginLibrary* forebay_plugin_library(const ForebayPluginHost* host, ForebayPluginError* error) {
  (void)host;
  (void)error;
  return &kLibrary;
}
