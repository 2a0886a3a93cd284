// Whether tests run in a build whose cases take many times longer: AddressSanitizer searches for leaks, coverage writes counters.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADJ_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ADJ_ASAN 1
#endif

#if defined(ADJ_ASAN) || defined(ADJ_COVERAGE)
constexpr bool kSlowCases = true;
#else
constexpr bool kSlowCases = false;
#endif
