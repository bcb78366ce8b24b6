// The header of a unit of a FITS file: cards of 80 characters (FITS standard 4.0, section 4).
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::dataset {

inline constexpr uint64_t kFitsCardBytes = 80;

/// Without the spaces around it.
inline std::string_view fits_trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// The cards of one header, borrowed.
class FitsHeader {
 public:
  explicit FitsHeader(std::string_view cards) : cards_(cards) {}

  /// The value of a keyword, without comment; nothing if it is not there.
  std::optional<std::string_view> value(std::string_view keyword) const {
    for (size_t at = 0; at < cards_.size(); at += kFitsCardBytes) {
      const std::string_view card = cards_.substr(at, kFitsCardBytes);
      if (fits_trimmed(card.substr(0, 8)) == keyword && card.substr(8, 2) == "= ") {
        const std::string_view rest = fits_trimmed(card.substr(10));
        const size_t end = rest.starts_with('\'') ? rest.find('\'', 1) + 1 : rest.find('/');
        return fits_trimmed(rest.substr(0, end));
      }
    }
    return std::nullopt;
  }

  /// A text without its quotes and trailing spaces; empty if it is not there or no text.
  std::string_view text(std::string_view keyword) const {
    const std::string_view quoted = value(keyword).value_or("");
    return quoted.size() < 2 || quoted.front() != '\'' ? std::string_view()
                                                       : fits_trimmed(quoted.substr(1, quoted.size() - 2));
  }

  /// data_loss if it is not there or no whole number.
  Result<int64_t> number(std::string_view keyword) const {
    const std::optional<std::string_view> text = value(keyword);
    int64_t number = 0;
    if (!text || !parse(*text, number)) {
      return data_loss("its {} is no whole number", keyword);
    }
    return number;
  }
  Result<int64_t> number_or(std::string_view keyword, int64_t otherwise) const {
    return value(keyword) ? number(keyword) : Result<int64_t>(otherwise);
  }

  /// Bits of an element, negative for floats; data_loss for others than FITS has.
  Result<int64_t> element_bits(std::string_view keyword) const {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t bits, number(keyword));
    static constexpr int64_t kKnownBits[] = {8, 16, 32, 64, -32, -64};
    if (std::ranges::find(kKnownBits, bits) == std::end(kKnownBits)) {
      return data_loss("its {} is {}", keyword, bits);
    }
    return bits;
  }

  Result<double> real_or(std::string_view keyword, double otherwise) const {
    const std::optional<std::string_view> text = value(keyword);
    if (!text) {
      return otherwise;
    }
    std::string plain(*text);
    std::ranges::replace(plain, 'D', 'E');
    double number = 0;
    if (!parse(plain, number) || !std::isfinite(number)) {
      return data_loss("its {} is no number", keyword);
    }
    return number;
  }

 private:
  template <class T>
  static bool parse(std::string_view text, T& number) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  }

  std::string_view cards_;
};

}  // namespace forebay::dataset
