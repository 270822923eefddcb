#include "comshu/core/column_codec.h"

#include <bit>
#include <cstring>

namespace comshu::core {
namespace {

constexpr size_t kLargestTable = 256;
// A column that shows more distinct values than half of this many first ones gets no dictionary.
constexpr size_t kDictionaryProbe = 128;

// Bytes of the LEB128 form without a loop.
inline unsigned FastVarintBytes(uint64_t value) {
    return (static_cast<unsigned>(std::bit_width(value | 1)) + 6) / 7;
}

struct Measured {
    uint64_t min;
    uint64_t max;
    uint64_t varint_bytes = 0;  // Of value - min.
    uint64_t delta_bytes = 0;   // Of zigzag differences.
    bool linear = true;
};

Measured Measure(const uint64_t* values, size_t count, bool is_signed) {
    // Order by an unsigned comparison: signed values have their sign bit flipped.
    const uint64_t flip = is_signed ? uint64_t{1} << 63 : 0;
    uint64_t low = values[0] ^ flip;
    uint64_t high = low;
    for (size_t i = 1; i < count; ++i) {
        const uint64_t v = values[i] ^ flip;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    Measured m{.min = low ^ flip, .max = high ^ flip};
    const uint64_t step = values[1] - values[0];
    m.varint_bytes = FastVarintBytes(values[0] - m.min);
    uint64_t differs = 0;
    for (size_t i = 1; i < count; ++i) {
        const uint64_t difference = values[i] - values[i - 1];
        differs |= difference ^ step;
        m.varint_bytes += FastVarintBytes(values[i] - m.min);
        m.delta_bytes += FastVarintBytes(ZigZag(difference));
    }
    m.linear = differs == 0;
    return m;
}

void AppendVarint(uint64_t value, std::vector<uint8_t>* data) {
    uint8_t buffer[10];
    data->insert(data->end(), buffer, WriteVarint(buffer, value));
}

template <typename GetIndex>
void AppendBits(size_t count, int bits, GetIndex index, std::vector<uint8_t>* data) {
    const size_t at = data->size();
    const size_t per_byte = 8 / static_cast<size_t>(bits);
    data->resize(at + (count + per_byte - 1) / per_byte);
    uint8_t* out = data->data() + at;
    size_t i = 0;
    while (i < count) {
        unsigned byte = 0;
        for (size_t k = 0; k < per_byte && i < count; ++k, ++i) {
            byte |= static_cast<unsigned>(index(i)) << (k * static_cast<size_t>(bits));
        }
        *out++ = static_cast<uint8_t>(byte);
    }
}

template <typename Narrow>
void AppendNarrow(const uint64_t* values, size_t count, uint64_t min, std::vector<uint8_t>* data) {
    const size_t at = data->size();
    data->resize(at + count * sizeof(Narrow));
    uint8_t* out = data->data() + at;
    for (size_t i = 0; i < count; ++i) {
        const Narrow v = static_cast<Narrow>(values[i] - min);
        std::memcpy(out + i * sizeof(Narrow), &v, sizeof v);
    }
}

void AppendBytes(const uint64_t* values, size_t count, uint64_t min, int width,
                 std::vector<uint8_t>* data) {
    switch (width) {
        case 1:
            return AppendNarrow<uint8_t>(values, count, min, data);
        case 2:
            return AppendNarrow<uint16_t>(values, count, min, data);
        case 4:
            return AppendNarrow<uint32_t>(values, count, min, data);
        default:
            return AppendNarrow<uint64_t>(values, count, min, data);
    }
}

template <typename GetValue>
void AppendVarints(size_t begin, size_t count, uint64_t bytes, GetValue value,
                   std::vector<uint8_t>* data) {
    const size_t at = data->size();
    data->resize(at + bytes);
    uint8_t* out = data->data() + at;
    for (size_t i = begin; i < count; ++i) out = WriteVarint(out, value(i));
}

uint64_t BitBytes(size_t count, int bits) {
    return (count * static_cast<uint64_t>(bits) + 7) / 8;
}

template <typename Narrow>
void ReadNarrow(const uint8_t* data, size_t count, uint64_t min, uint64_t* values) {
    for (size_t i = 0; i < count; ++i) {
        Narrow v;
        std::memcpy(&v, data + i * sizeof(Narrow), sizeof v);
        values[i] = min + v;
    }
}

void ReadBits(const uint8_t* data, size_t count, int bits, uint64_t* values) {
    const unsigned mask = (1u << bits) - 1;
    const size_t per_byte = 8 / static_cast<size_t>(bits);
    for (size_t i = 0; i < count; ++i) {
        values[i] = (data[i / per_byte] >> (i % per_byte * static_cast<size_t>(bits))) & mask;
    }
}

bool ReadDictionary(const uint8_t* data, size_t bytes, size_t count, uint64_t* values) {
    if (bytes < 1) return false;
    const size_t entries = size_t{data[0]} + 1;
    const int bits = IndexBits(entries - 1);
    if (bytes != 1 + entries * 8 + BitBytes(count, bits)) return false;
    uint64_t table[kLargestTable] = {};
    std::memcpy(table, data + 1, entries * 8);
    ReadBits(data + 1 + entries * 8, count, bits, values);
    uint64_t largest = 0;
    for (size_t i = 0; i < count; ++i) {
        largest |= values[i] >= entries;
        values[i] = table[values[i]];
    }
    return largest == 0;
}

bool ReadVarints(const uint8_t* data, size_t bytes, size_t count, uint64_t* values) {
    const uint8_t* end = data + bytes;
    for (size_t i = 0; i < count; ++i) {
        if (data != end && *data < 0x80) {
            values[i] = *data++;
            continue;
        }
        data = ReadVarint(data, end, &values[i]);
        if (data == nullptr) return false;
    }
    return data == end;
}

}  // namespace

size_t ColumnEncoder::Slot(uint64_t value) const {
    size_t slot = (value * 0x9e3779b97f4a7c15u) >> 54;
    while (slots_[slot] != 0 && entries_[slots_[slot] - 1u] != value) {
        slot = (slot + 1) % kDictionarySlots;
    }
    return slot;
}

uint8_t ColumnEncoder::Index(uint64_t value) {
    const size_t slot = Slot(value);
    if (slots_[slot] == 0) {
        entries_[entry_count_++] = value;
        slots_[slot] = static_cast<uint16_t>(entry_count_);
    }
    return static_cast<uint8_t>(slots_[slot] - 1);
}

// False when there are too many distinct values for a dictionary to be worth it.
bool ColumnEncoder::BuildDictionary(const uint64_t* values, size_t count) {
    slots_.fill(0);
    entry_count_ = 0;
    uint64_t last = values[0];
    uint8_t last_index = Index(last);
    indexes_[0] = last_index;
    for (size_t i = 1; i < count; ++i) {
        if (values[i] != last) {
            if (entry_count_ == kLargestDictionary && slots_[Slot(values[i])] == 0) return false;
            last = values[i];
            last_index = Index(last);
            if (i < kDictionaryProbe && entry_count_ > kDictionaryProbe / 2) return false;
        }
        indexes_[i] = last_index;
    }
    return true;
}

ColumnInfo ColumnEncoder::Encode(const uint64_t* values, size_t count, bool is_signed,
                                 std::vector<uint8_t>* data) {
    ColumnInfo info;
    if (count == 0) return info;
    const size_t at = data->size();
    uint64_t differs = 0;
    for (size_t i = 0; i < count; ++i) differs |= values[i] ^ values[0];
    if (differs == 0) {
        info.min = values[0];
        return info;
    }
    const Measured m = Measure(values, count, is_signed);
    info.min = m.min;
    info.max_minus_min = m.max - m.min;
    const int width = ValueBytes(info.max_minus_min);

    ColumnEncoding best = ColumnEncoding::kBytes;
    uint64_t size = count * static_cast<uint64_t>(width);
    const auto offer = [&](ColumnEncoding encoding, uint64_t bytes) {
        if (bytes < size) best = encoding, size = bytes;
    };
    const uint64_t first_bytes = FastVarintBytes(values[0] - m.min);
    if (info.max_minus_min < 16)
        offer(ColumnEncoding::kBits, BitBytes(count, IndexBits(info.max_minus_min)));
    offer(ColumnEncoding::kVarint, m.varint_bytes);
    offer(ColumnEncoding::kDelta, first_bytes + m.delta_bytes);
    if (m.linear)
        offer(ColumnEncoding::kLinear,
              first_bytes + FastVarintBytes(ZigZag(values[1] - values[0])));
    // Below this size no dictionary can win.
    if (size > BitBytes(count, 1) + 17 && BuildDictionary(values, count)) {
        offer(ColumnEncoding::kDictionary,
              1 + entry_count_ * 8 + BitBytes(count, IndexBits(entry_count_ - 1)));
    }

    switch (best) {
        case ColumnEncoding::kBits:
            AppendBits(
                count, IndexBits(info.max_minus_min), [&](size_t i) { return values[i] - m.min; },
                data);
            break;
        case ColumnEncoding::kVarint:
            AppendVarints(
                0, count, size, [&](size_t i) { return values[i] - m.min; }, data);
            break;
        case ColumnEncoding::kDelta:
            AppendVarint(values[0] - m.min, data);
            AppendVarints(
                1, count, m.delta_bytes,
                [&](size_t i) { return ZigZag(values[i] - values[i - 1]); }, data);
            break;
        case ColumnEncoding::kLinear:
            AppendVarint(values[0] - m.min, data);
            AppendVarint(ZigZag(values[1] - values[0]), data);
            break;
        case ColumnEncoding::kDictionary: {
            data->push_back(static_cast<uint8_t>(entry_count_ - 1));
            const auto* table = reinterpret_cast<const uint8_t*>(entries_.data());
            data->insert(data->end(), table, table + entry_count_ * 8);
            AppendBits(
                count, IndexBits(entry_count_ - 1), [&](size_t i) { return indexes_[i]; }, data);
            break;
        }
        default:
            AppendBytes(values, count, m.min, width, data);
            break;
    }
    info.encoding = static_cast<uint8_t>(best);
    info.data_bytes = data->size() - at;
    return info;
}

bool DecodeColumn(const ColumnInfo& info, const uint8_t* data, size_t count, uint64_t* values) {
    if (count == 0) return info.data_bytes == 0;
    const uint8_t* const end = data + info.data_bytes;
    switch (static_cast<ColumnEncoding>(info.encoding & kEncodingMask)) {
        case ColumnEncoding::kConstant:
            for (size_t i = 0; i < count; ++i) values[i] = info.min;
            return info.data_bytes == 0;
        case ColumnEncoding::kBits: {
            const int bits = IndexBits(info.max_minus_min);
            if (info.data_bytes != BitBytes(count, bits)) return false;
            ReadBits(data, count, bits, values);
            for (size_t i = 0; i < count; ++i) values[i] += info.min;
            return true;
        }
        case ColumnEncoding::kBytes: {
            const int width = ValueBytes(info.max_minus_min);
            if (info.data_bytes != count * static_cast<uint64_t>(width)) return false;
            if (width == 1)
                ReadNarrow<uint8_t>(data, count, info.min, values);
            else if (width == 2)
                ReadNarrow<uint16_t>(data, count, info.min, values);
            else if (width == 4)
                ReadNarrow<uint32_t>(data, count, info.min, values);
            else
                ReadNarrow<uint64_t>(data, count, info.min, values);
            return true;
        }
        case ColumnEncoding::kVarint:
            if (!ReadVarints(data, info.data_bytes, count, values)) return false;
            for (size_t i = 0; i < count; ++i) values[i] += info.min;
            return true;
        case ColumnEncoding::kDictionary:
            return ReadDictionary(data, info.data_bytes, count, values);
        case ColumnEncoding::kLinear: {
            uint64_t first = 0;
            uint64_t step = 0;
            data = ReadVarint(data, end, &first);
            if (data == nullptr) return false;
            data = ReadVarint(data, end, &step);
            if (data != end) return false;
            first += info.min;
            step = UnZigZag(step);
            for (size_t i = 0; i < count; ++i) values[i] = first + i * step;
            return true;
        }
        case ColumnEncoding::kDelta: {
            if (!ReadVarints(data, info.data_bytes, count, values)) return false;
            values[0] += info.min;
            for (size_t i = 1; i < count; ++i) values[i] = values[i - 1] + UnZigZag(values[i]);
            return true;
        }
    }
    return false;
}

}  // namespace comshu::core
