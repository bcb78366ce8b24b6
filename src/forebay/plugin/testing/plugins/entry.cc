// Libraries with something wrong at the door, by definitions: ABI, WITHOUT_TABLE, WITHOUT_VERSION, REFUSES.
#include <cstdio>

#include "forebay/plugin/plugin_api.h"

#ifndef ABI
#define ABI FOREBAY_PLUGIN_ABI
#endif

extern "C" {

#ifndef WITHOUT_VERSION
FOREBAY_PLUGIN_EXPORT uint32_t forebay_plugin_abi() {
  return ABI;
}
#endif

#ifndef WITHOUT_TABLE
FOREBAY_PLUGIN_EXPORT const ForebayPluginLibrary* forebay_plugin_library(const ForebayPluginHost*,
                                                                         ForebayPluginError* error) {
#ifdef REFUSES
  std::snprintf(error->text, error->capacity, "the licence has expired \xff");
#else
  (void)error;
#endif
  return nullptr;
}
#endif

}  // extern "C"
