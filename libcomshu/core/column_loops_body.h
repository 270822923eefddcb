// The loops themselves, for the two files that compile them. No function of another header may be
// used here that is not inlined for certain: the linker might keep the copy made for the wrong
// processor.
#include <cstring>

#include "comshu/core/column_loops.h"

namespace comshu::core {
namespace {

inline uint64_t Zig(uint64_t difference) {
    return (difference << 1) ^ (0 - (difference >> 63));
}

uint64_t Differs(const uint64_t* values, size_t count) {
    uint64_t differs = 0;
    for (size_t i = 0; i < count; ++i) differs |= values[i] ^ values[0];
    return differs;
}

ColumnMeasure Measure(const uint64_t* values, size_t count, bool is_signed) {
    // Order by an unsigned comparison: signed values have their sign bit flipped.
    const uint64_t flip = is_signed ? uint64_t{1} << 63 : 0;
    uint64_t low = values[0] ^ flip;
    uint64_t high = low;
    for (size_t i = 1; i < count; ++i) {
        const uint64_t v = values[i] ^ flip;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    const uint64_t step = values[1] - values[0];
    uint64_t differs = 0;
    uint64_t delta_bits = 0;
    for (size_t i = 1; i < count; ++i) {
        const uint64_t difference = values[i] - values[i - 1];
        differs |= difference ^ step;
        delta_bits |= Zig(difference);
    }
    return {low ^ flip, high ^ flip, delta_bits, differs == 0};
}

// A value has a byte more for each power of 128 that it reaches.
uint64_t ValueVarintBytes(const uint64_t* values, size_t count, uint64_t min, uint64_t largest) {
    uint64_t bytes = count;
    for (int shift = 7; shift < 64 && (largest >> shift) != 0; shift += 7) {
        uint64_t reach = 0;
        for (size_t i = 0; i < count; ++i) reach += ((values[i] - min) >> shift) != 0 ? 1 : 0;
        bytes += reach;
    }
    return bytes;
}

uint64_t DeltaVarintBytes(const uint64_t* values, size_t count, uint64_t largest) {
    uint64_t bytes = count - 1;
    for (int shift = 7; shift < 64 && (largest >> shift) != 0; shift += 7) {
        uint64_t reach = 0;
        for (size_t i = 1; i < count; ++i) {
            reach += (Zig(values[i] - values[i - 1]) >> shift) != 0 ? 1 : 0;
        }
        bytes += reach;
    }
    return bytes;
}

template <typename Narrow>
inline void WriteNarrow(const uint64_t* values, size_t count, uint64_t min, uint8_t* out) {
    for (size_t i = 0; i < count; ++i) {
        const Narrow v = static_cast<Narrow>(values[i] - min);
        std::memcpy(out + i * sizeof(Narrow), &v, sizeof v);
    }
}

void WriteBytes(const uint64_t* values, size_t count, uint64_t min, int width, uint8_t* out) {
    switch (width) {
        case 1:
            return WriteNarrow<uint8_t>(values, count, min, out);
        case 2:
            return WriteNarrow<uint16_t>(values, count, min, out);
        case 4:
            return WriteNarrow<uint32_t>(values, count, min, out);
        default:
            return WriteNarrow<uint64_t>(values, count, min, out);
    }
}

template <size_t kBits>
inline void WriteBitsOf(const uint64_t* values, size_t count, uint64_t min, uint8_t* out) {
    constexpr size_t kPerByte = 8 / kBits;
    size_t i = 0;
    for (; i + kPerByte <= count; i += kPerByte) {
        uint64_t byte = 0;
        for (size_t k = 0; k < kPerByte; ++k) byte |= (values[i + k] - min) << (k * kBits);
        *out++ = static_cast<uint8_t>(byte);
    }
    if (i == count) return;
    uint64_t byte = 0;
    for (size_t k = 0; i < count; ++k, ++i) byte |= (values[i] - min) << (k * kBits);
    *out = static_cast<uint8_t>(byte);
}

void WriteBits(const uint64_t* values, size_t count, uint64_t min, int bits, uint8_t* out) {
    switch (bits) {
        case 1:
            return WriteBitsOf<1>(values, count, min, out);
        case 2:
            return WriteBitsOf<2>(values, count, min, out);
        case 4:
            return WriteBitsOf<4>(values, count, min, out);
        default:
            return WriteNarrow<uint8_t>(values, count, min, out);
    }
}

// One or two bytes, without a branch that real times would mispredict.
inline uint8_t* WriteShort(uint64_t value, uint8_t* out) {
    const uint64_t more = value > 0x7f ? 1 : 0;
    const auto both = static_cast<uint16_t>((value & 0x7f) | more << 7 | (value >> 7) << 8);
    std::memcpy(out, &both, sizeof both);
    return out + 1 + more;
}

inline uint8_t* WriteLong(uint64_t value, uint8_t* out) {
    while (value >= 0x80) {
        *out++ = static_cast<uint8_t>(value) | 0x80;
        value >>= 7;
    }
    *out++ = static_cast<uint8_t>(value);
    return out;
}

uint8_t* WriteValueVarints(const uint64_t* values, size_t count, uint64_t min, uint64_t largest,
                           uint8_t* out) {
    if (largest >> 14 == 0) {
        for (size_t i = 0; i < count; ++i) out = WriteShort(values[i] - min, out);
    } else {
        for (size_t i = 0; i < count; ++i) out = WriteLong(values[i] - min, out);
    }
    return out;
}

uint8_t* WriteDeltaVarints(const uint64_t* values, size_t count, uint64_t largest, uint8_t* out) {
    if (largest >> 14 == 0) {
        for (size_t i = 1; i < count; ++i) out = WriteShort(Zig(values[i] - values[i - 1]), out);
    } else {
        for (size_t i = 1; i < count; ++i) out = WriteLong(Zig(values[i] - values[i - 1]), out);
    }
    return out;
}

template <typename Field>
inline Field LoadField(const std::byte* at) {
    Field field;
    std::memcpy(&field, at, sizeof field);
    return field;
}

template <typename Field>
inline uint64_t FieldDiffers(const std::byte* const* rows, size_t count, size_t offset) {
    constexpr size_t kStep = 64;
    const Field first = LoadField<Field>(rows[0] + offset);
    for (size_t i = 0; i < count; i += kStep) {
        const size_t end = i + kStep < count ? i + kStep : count;
        Field differs = 0;
        for (size_t k = i; k < end; ++k) {
            differs = static_cast<Field>(differs | (LoadField<Field>(rows[k] + offset) ^ first));
        }
        if (differs != 0) return 1;
    }
    return 0;
}

uint64_t GatherDiffers(const std::byte* const* rows, size_t count, size_t offset, int width) {
    switch (width) {
        case 1:
            return FieldDiffers<uint8_t>(rows, count, offset);
        case 2:
            return FieldDiffers<uint16_t>(rows, count, offset);
        case 4:
            return FieldDiffers<uint32_t>(rows, count, offset);
        default:
            return FieldDiffers<uint64_t>(rows, count, offset);
    }
}

template <typename Field>
inline void GatherField(const std::byte* const* rows, size_t count, size_t offset, uint64_t* out) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<uint64_t>(LoadField<Field>(rows[i] + offset));
    }
}

void Gather(const std::byte* const* rows, size_t count, size_t offset, int width, bool is_signed,
            uint64_t* out) {
    switch (width) {
        case 1:
            return is_signed ? GatherField<int8_t>(rows, count, offset, out)
                             : GatherField<uint8_t>(rows, count, offset, out);
        case 2:
            return is_signed ? GatherField<int16_t>(rows, count, offset, out)
                             : GatherField<uint16_t>(rows, count, offset, out);
        case 4:
            return is_signed ? GatherField<int32_t>(rows, count, offset, out)
                             : GatherField<uint32_t>(rows, count, offset, out);
        default:
            return GatherField<uint64_t>(rows, count, offset, out);
    }
}

constexpr ColumnLoops kLoops = {
    Differs,   Measure,           ValueVarintBytes,  DeltaVarintBytes, WriteBytes,
    WriteBits, WriteValueVarints, WriteDeltaVarints, GatherDiffers,    Gather,
};

}  // namespace
}  // namespace comshu::core
