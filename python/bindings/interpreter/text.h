// Text between C++ and Python. C++ strings hold any bytes, as names of files do; in Python, bytes that are
// not UTF-8 stand as surrogate escapes (PEP 383), as os.fsdecode() gives them. All functions need the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace forebay::bindings {

namespace nb = nanobind;

nb::str text_to_python(std::string_view text);
/// For people to read: bytes that are not UTF-8 stand as `\xff`, so that it can be written to any stream.
nb::str readable_text(std::string_view text);

/// True for str, bytes and what has __fspath__.
bool is_text(nb::handle object);
/// The bytes of what is_text(), as os.fsencode(). UnicodeEncodeError for surrogates that stand for no byte.
std::string text_from_python(nb::handle object);

/// str(object) in whatever bytes it can be put; empty where even that raises.
std::string printed(nb::handle object) noexcept;

}  // namespace forebay::bindings
