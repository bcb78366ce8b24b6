// How type strings of Python's buffers and arrays name a byte order.
#pragma once

#include <bit>

namespace forebay::exchange {

/// The letter of this machine's.
inline constexpr char kNativeOrder = std::endian::native == std::endian::little ? '<' : '>';

}  // namespace forebay::exchange
