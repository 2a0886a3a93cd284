// What a test chooses in place of src/host/processors.cpp.
#pragma once

namespace support {

inline unsigned threads_to_take = 0;   // 0: as many as the machine has
inline bool narrow_registers = false;  // without those that a processor may lack

}  // namespace support
