// A plain loop of non-temporal stores, the widest that the processor has up to 32 bytes, same pages.
#include "aos_soa/records.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace {

constexpr size_t kLine = 64;

__attribute__((target("avx2"))) void copy_32(std::byte* to, const std::byte* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kLine) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at + kLine / 2));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at), low);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at + kLine / 2), high);
  }
  _mm_sfence();
}

void copy_16(std::byte* to, const std::byte* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += sizeof(__m128i)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  _mm_sfence();
}

}  // namespace
#endif

int main(int argc, char** argv) {
  return records::run(argc, argv, "loop", "1", false,
                      [](const contender::Task&, records::Work& work) -> std::function<void()> {
#if defined(__x86_64__)
                        const auto copy = __builtin_cpu_supports("avx2") ? copy_32 : copy_16;
                        return [&work, copy] {
                          copy(work.columns->mutable_bytes().data(), work.records->bytes().data(),
                               work.bytes() / kLine * kLine);
                        };
#else
                        (void)work;
                        return nullptr;
#endif
                      });
}
