// The process's stores of http and https: one for all URLs of a scheme, and one for each set of options.
#pragma once

#include <string>
#include <vector>

#include "forebay/storage/store_registry.h"

namespace forebay::storage {

/// bearer_token, and the rate limits.
std::vector<StoreOptionSpec> http_option_specs();

/// `scheme` is "http" or "https". Stores with equal options are one.
StoreRegistry::Factory http_factory(const std::string& scheme);

}  // namespace forebay::storage
