// Whether this code is compiled for AddressSanitizer or ThreadSanitizer, by GCC or Clang: constants, and for
// the preprocessor FOREBAY_ADDRESS_SANITIZER and FOREBAY_THREAD_SANITIZER, which are 1 or 0.
#pragma once

#if defined(__has_feature)
#define FOREBAY_HAS_FEATURE(name) __has_feature(name)
#else
#define FOREBAY_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || FOREBAY_HAS_FEATURE(address_sanitizer)
#define FOREBAY_ADDRESS_SANITIZER 1
#else
#define FOREBAY_ADDRESS_SANITIZER 0
#endif

// The second is of code that has to hide the compiler's own macro from a library's headers
// (cmake/forebay_protobuf.cmake).
#if defined(__SANITIZE_THREAD__) || defined(FOREBAY_HIDES_THREAD_SANITIZER) || \
    FOREBAY_HAS_FEATURE(thread_sanitizer)
#define FOREBAY_THREAD_SANITIZER 1
#else
#define FOREBAY_THREAD_SANITIZER 0
#endif

namespace forebay {

// Each file's own: folders without threads are not compiled for ThreadSanitizer where others are.
constexpr bool kIsAddressSanitized = FOREBAY_ADDRESS_SANITIZER != 0;
constexpr bool kIsThreadSanitized = FOREBAY_THREAD_SANITIZER != 0;
constexpr bool kIsSanitized = kIsAddressSanitized || kIsThreadSanitized;

}  // namespace forebay
