// What sessions are made of.
#pragma once

#include <nanobind/nanobind.h>

#include "forebay/pipeline/session.h"

namespace forebay::bindings {

/// The options of a pipeline's settings; feeds and functions become those of the session.
pipeline::SessionOptions session_options(const nanobind::dict& settings);

}  // namespace forebay::bindings
