#include "forebay/storage/listing/key_guess.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "forebay/base/utf8.h"

namespace forebay::storage {
namespace {

constexpr size_t kShortestHex = 4;   // shorter runs of digits and letters up to "f" are words
constexpr double kFinest = 0x1p-50;  // what a double still tells apart

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_word(char c) {
  return is_digit(c) || is_lower(c) || is_upper(c);
}

/// A part of a name, and the symbols that such parts are written with, in the order of their bytes.
struct Token {
  size_t begin = 0;
  std::string alphabet;
};

template <class Belongs>
std::pair<size_t, size_t> run_around(std::string_view name, size_t place, Belongs belongs) {
  size_t begin = place;
  size_t end = place;
  while (begin > 0 && belongs(name[begin - 1])) {
    --begin;
  }
  while (end < name.size() && belongs(name[end])) {
    ++end;
  }
  return {begin, end};
}

std::string bytes_from(int first, int last) {
  std::string bytes;
  for (int byte = first; byte <= last; ++byte) {
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

/// Servers may refuse to list behind what could be no name of theirs, so only names that are not UTF-8 are
/// divided at bytes that are not printed.
std::string bytes_like(std::string_view name) {
  return is_utf8(name) ? bytes_from(' ', '~') : bytes_from(0, 255);
}

/// Hexadecimal numbers have digits and letters; words and decimal numbers do not have both.
std::optional<Token> hexadecimal_token(std::string_view name, size_t place) {
  const auto [begin, end] = run_around(name, place, is_word);
  const std::string_view run = name.substr(begin, end - begin);
  const bool has_digits = std::ranges::any_of(run, is_digit);
  const bool is_small =
      std::ranges::all_of(run, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
  const bool is_large =
      std::ranges::all_of(run, [](char c) { return is_digit(c) || (c >= 'A' && c <= 'F'); });
  if (run.size() < kShortestHex || !has_digits || is_small == is_large) {
    return std::nullopt;
  }
  return Token{begin, is_small ? "0123456789abcdef" : "0123456789ABCDEF"};
}

/// The part of `name` that `place` lies in.
Token token_at(std::string_view name, size_t place) {
  if (place >= name.size() || !is_word(name[place])) {
    return {place, bytes_like(name)};
  }
  if (std::optional<Token> hexadecimal = hexadecimal_token(name, place)) {
    return *std::move(hexadecimal);
  }
  if (is_digit(name[place])) {
    return {run_around(name, place, is_digit).first, "0123456789"};
  }
  if (is_lower(name[place])) {
    return {run_around(name, place, is_lower).first, "abcdefghijklmnopqrstuvwxyz"};
  }
  return {run_around(name, place, is_upper).first, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"};
}

/// `text` as a number in [0, 1]: 0.d1d2d3... A symbol that the alphabet lacks ends it, where it sorts.
double fraction_of(std::string_view text, const std::string& alphabet) {
  const auto is_less = [](char a, char b) {
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  };
  const auto radix = static_cast<double>(alphabet.size());
  double fraction = 0;
  double weight = 1;
  for (const char c : text) {
    weight /= radix;
    const auto place = std::lower_bound(alphabet.begin(), alphabet.end(), c, is_less);
    fraction += weight * static_cast<double>(place - alphabet.begin());
    if (weight < kFinest || place == alphabet.end() || *place != c) {
      break;
    }
  }
  return fraction;
}

/// The shortest text that is within `tolerance` below `fraction`.
std::string text_of_fraction(double fraction, const std::string& alphabet, double tolerance) {
  const auto radix = static_cast<double>(alphabet.size());
  std::string text;
  for (double weight = 1; weight > std::max(tolerance, kFinest);) {
    weight /= radix;
    // Rounding may leave less than nothing.
    const double digit = std::clamp(std::floor(fraction / weight), 0.0, radix - 1);
    text += alphabet[static_cast<size_t>(digit)];
    fraction -= digit * weight;
  }
  return text;
}

}  // namespace

size_t common_bytes(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

std::optional<KeyGuess> guess_key(const SeenNames& seen, double reach) {
  const bool is_bounded = seen.end && seen.end->starts_with(seen.folder);
  const size_t differs = common_bytes(seen.last, is_bounded ? std::string_view(*seen.end) : seen.first);
  const Token token = token_at(seen.last, differs);
  const size_t begin = std::max(is_bounded ? differs : token.begin, seen.folder.size());
  if (begin > seen.last.size()) {
    return std::nullopt;
  }
  const auto number_of = [&](std::string_view name) {
    return fraction_of(name.substr(std::min(begin, name.size())), token.alphabet);
  };
  const double last = number_of(seen.last);
  const double end = is_bounded ? number_of(*seen.end) : 1.0;
  const bool is_near = common_bytes(seen.first, seen.last) >= begin;
  const double covered = std::max(is_near ? last - number_of(seen.first) : last, kFinest);
  const double middle = (last + end) / 2;
  const double place = is_bounded ? middle : std::min(last + reach * covered, middle);
  KeyGuess guess{.is_bounded = is_bounded};
  guess.names_left = static_cast<double>(seen.count) * (end - last) / covered;
  guess.key =
      std::string(seen.last.substr(0, begin)) + text_of_fraction(place, token.alphabet, (place - last) / 4);
  const bool divides = guess.key > seen.last && (!seen.end || guess.key < *seen.end) &&
                       (is_utf8(guess.key) || !is_utf8(seen.last));
  return divides ? std::optional(std::move(guess)) : std::nullopt;
}

}  // namespace forebay::storage
