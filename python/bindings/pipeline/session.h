// What sessions are made of.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/interpreter/held_objects.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::bindings {

/// The options of a pipeline's settings; feeds and functions become those of the session, and are noted in
/// `held`.
pipeline::SessionOptions session_options(const nanobind::dict& settings, HeldObjects& held);

}  // namespace forebay::bindings
