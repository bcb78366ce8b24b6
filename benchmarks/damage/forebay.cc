// How much damage is found: one bit of the image data of each of many JPEGs is flipped, and what comes of it
// is counted.
//
//     forebay FOLDER [FLIPS] [SEED]
//
// Prints how many files of the folder are refused as they are, then, for the flips: how many give an error,
// by its cause, and how many pass, by the share of pixels that they change.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "harness/contender.h"

namespace {

using forebay::tensor::Tensor;

forebay::Result<Tensor> decode(const std::string& data) {
  return forebay::codec::decode_image(std::as_bytes(std::span(data)));
}

/// Where the image data of the first scan begins; 0 when there is none.
size_t first_image_byte(const std::string& jpeg) {
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(jpeg[at])); };
  for (size_t at = 2; at + 4 < jpeg.size() && byte(at) == 0xFF;) {
    const size_t length = byte(at + 2) << 8 | byte(at + 3);
    if (byte(at + 1) == 0xDA) {
      return at + 2 + length;
    }
    at += 2 + length;
  }
  return 0;
}

/// Pixels that differ by more than a rounding would explain.
double changed_share(const Tensor& right, const Tensor& wrong) {
  const auto a = right.view().span<uint8_t>();
  const auto b = wrong.view().span<uint8_t>();
  size_t changed = 0;
  for (size_t i = 0; i + 2 < a.size(); i += 3) {
    const auto differs = [&](size_t c) { return std::abs(a[i + c] - b[i + c]) > 2; };
    changed += differs(0) || differs(1) || differs(2) ? 1 : 0;
  }
  return static_cast<double>(changed) * 3 / static_cast<double>(a.size());
}

/// The last words of an error: what is wrong, without the place and without numbers.
std::string cause_of(const forebay::Status& status) {
  const std::string text(status.message());
  std::string cause = text.substr(std::min(text.size(), text.find(": ") + 2));
  cause = cause.substr(0, cause.find(" before marker"));
  std::erase_if(cause, [](char letter) { return letter >= '0' && letter <= '9'; });
  return cause;
}

struct Counts {
  int found = 0;
  std::map<std::string, int> causes;
  std::map<std::string, int> passed;
};

void count(Counts& counts, const Tensor& right, const forebay::Result<Tensor>& wrong) {
  if (!wrong.ok()) {
    ++counts.found;
    ++counts.causes[cause_of(wrong.status())];
    return;
  }
  const double share = changed_share(right, *wrong);
  const char* kind = share == 0      ? "a: no pixel by more than 2"
                     : share <= 0.01 ? "b: at most 1 % of the pixels"
                     : share <= 0.1  ? "c: 1 to 10 % of the pixels"
                                     : "d: more than 10 % of the pixels";
  ++counts.passed[kind];
}

int run(const std::string& folder, int flips, uint32_t seed) {
  const std::vector<std::string> files = contender::read_pictures(folder);
  std::mt19937 random(seed);
  Counts counts;
  int refused = 0;
  for (size_t i = 0; i < std::max<size_t>(files.size(), static_cast<size_t>(flips)); ++i) {
    std::string jpeg = files[i % files.size()];
    const forebay::Result<Tensor> right = decode(jpeg);
    if (!right.ok()) {
      refused += i < files.size() ? 1 : 0;
      continue;
    }
    const size_t first = first_image_byte(jpeg);
    if (static_cast<int>(i) >= flips || first == 0 || first + 2 >= jpeg.size()) {
      continue;
    }
    const size_t at = first + random() % (jpeg.size() - 2 - first);
    jpeg[at] = static_cast<char>(static_cast<unsigned char>(jpeg[at]) ^ 1U << random() % 8);
    count(counts, *right, decode(jpeg));
  }
  std::printf("%zu files, %d refused as they are\n%d of %d flips found\n", files.size(), refused,
              counts.found, flips);
  for (const auto& [cause, number] : counts.causes) {
    std::printf("%6d  %s\n", number, cause.c_str());
  }
  std::printf("passed, changing\n");
  for (const auto& [kind, number] : counts.passed) {
    std::printf("%6d  %s\n", number, kind.c_str() + 3);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "forebay FOLDER [FLIPS] [SEED]\n");
    return 2;
  }
  return run(argv[1], argc > 2 ? std::atoi(argv[2]) : 2000, argc > 3 ? std::atoi(argv[3]) : 1);
}
