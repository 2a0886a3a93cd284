// As c_api.h.
#pragma once

#include <cstdint>

extern "C" void* TVMFFIEnvGetStream(std::int32_t device_type, std::int32_t device);
