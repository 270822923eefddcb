#include "comshu/core/column_codec.h"

#include <cstring>

namespace comshu::core {
namespace {

constexpr size_t kLargestTable = 256;
// A column that shows more distinct values than half of this many first ones gets no dictionary.
constexpr size_t kDictionaryProbe = 128;

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

// Gives `take` each number of `kBits` bits, a whole byte at a time.
template <size_t kBits, typename Take>
void ForEachBits(const uint8_t* data, size_t count, Take take) {
    constexpr size_t kPerByte = 8 / kBits;
    constexpr unsigned kMask = (1u << kBits) - 1;
    size_t i = 0;
    for (; i + kPerByte <= count; i += kPerByte) {
        const unsigned byte = *data++;
        for (size_t k = 0; k < kPerByte; ++k) take(i + k, byte >> (k * kBits) & kMask);
    }
    for (size_t k = 0; i < count; ++i, ++k) take(i, *data >> (k * kBits) & kMask);
}

template <typename Take>
void ForEachBits(const uint8_t* data, size_t count, int bits, Take take) {
    switch (bits) {
        case 1:
            return ForEachBits<1>(data, count, take);
        case 2:
            return ForEachBits<2>(data, count, take);
        case 4:
            return ForEachBits<4>(data, count, take);
        default:
            return ForEachBits<8>(data, count, take);
    }
}

bool ReadDictionary(const uint8_t* data, size_t bytes, size_t count, uint64_t* values) {
    if (bytes < 1) return false;
    const size_t entries = size_t{data[0]} + 1;
    const int bits = IndexBits(entries - 1);
    if (bytes != 1 + entries * 8 + BitBytes(count, bits)) return false;
    uint64_t table[kLargestTable];
    std::memcpy(table, data + 1, entries * 8);
    std::memset(table + entries, 0, (kLargestTable - entries) * 8);
    unsigned largest = 0;
    ForEachBits(data + 1 + entries * 8, count, bits, [&](size_t i, unsigned index) {
        largest = index > largest ? index : largest;
        values[i] = table[index];
    });
    return largest < entries;
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

uint64_t ColumnEncoder::Index(uint64_t value) {
    const size_t slot = Slot(value);
    if (slots_[slot] == 0) {
        entries_[entry_count_++] = value;
        slots_[slot] = static_cast<uint16_t>(entry_count_);
    }
    return slots_[slot] - uint64_t{1};
}

// False when there are too many distinct values for a dictionary to be worth it.
bool ColumnEncoder::BuildDictionary(const uint64_t* values, size_t count) {
    slots_.fill(0);
    entry_count_ = 0;
    uint64_t last = values[0];
    uint64_t last_index = Index(last);
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

void ColumnEncoder::Write(ColumnEncoding encoding, const uint64_t* values, size_t count,
                          const ColumnMeasure& m, uint64_t bytes, std::vector<uint8_t>* data) {
    const size_t at = data->size();
    const uint64_t range = m.max - m.min;
    data->resize(at + bytes + kVarintSlack);
    uint8_t* out = data->data() + at;
    switch (encoding) {
        case ColumnEncoding::kBits:
            loops_.write_bits(values, count, m.min, IndexBits(range), out);
            break;
        case ColumnEncoding::kVarint:
            loops_.write_value_varints(values, count, m.min, range, out);
            break;
        case ColumnEncoding::kDelta:
            out = WriteVarint(out, values[0] - m.min);
            loops_.write_delta_varints(values, count, m.delta_bits, out);
            break;
        case ColumnEncoding::kLinear:
            out = WriteVarint(out, values[0] - m.min);
            WriteVarint(out, ZigZag(values[1] - values[0]));
            break;
        case ColumnEncoding::kDictionary:
            *out++ = static_cast<uint8_t>(entry_count_ - 1);
            std::memcpy(out, entries_.data(), entry_count_ * 8);
            loops_.write_bits(indexes_.data(), count, 0, IndexBits(entry_count_ - 1),
                              out + entry_count_ * 8);
            break;
        default:
            loops_.write_bytes(values, count, m.min, ValueBytes(range), out);
            break;
    }
    data->resize(at + bytes);
}

ColumnInfo ColumnEncoder::Encode(const uint64_t* values, size_t count, bool is_signed,
                                 std::vector<uint8_t>* data) {
    ColumnInfo info;
    if (count == 0) return info;
    if (loops_.differs(values, count) == 0) {
        info.min = values[0];
        return info;
    }
    const ColumnMeasure m = loops_.measure(values, count, is_signed);
    const uint64_t range = m.max - m.min;
    const int width = ValueBytes(range);

    ColumnEncoding best = ColumnEncoding::kBytes;
    uint64_t size = count * static_cast<uint64_t>(width);
    const auto offer = [&](ColumnEncoding encoding, uint64_t bytes) {
        if (bytes < size) best = encoding, size = bytes;
    };
    const auto first_bytes = static_cast<uint64_t>(VarintBytes(values[0] - m.min));
    if (m.is_linear) {
        offer(ColumnEncoding::kLinear,
              first_bytes + static_cast<uint64_t>(VarintBytes(ZigZag(values[1] - values[0]))));
    }
    if (range < 16) offer(ColumnEncoding::kBits, BitBytes(count, IndexBits(range)));
    // A varint has a byte at least.
    if (size > count) {
        offer(ColumnEncoding::kVarint, loops_.value_varint_bytes(values, count, m.min, range));
        if (m.delta_bits < range) {
            offer(ColumnEncoding::kDelta,
                  first_bytes + loops_.delta_varint_bytes(values, count, m.delta_bits));
        }
    }
    // An entry takes 8 bytes, so a dictionary must save bits on many values.
    if (size > BitBytes(count, 2) + 4 * 8 && BuildDictionary(values, count)) {
        offer(ColumnEncoding::kDictionary,
              1 + entry_count_ * 8 + BitBytes(count, IndexBits(entry_count_ - 1)));
    }
    Write(best, values, count, m, size, data);
    info.encoding = static_cast<uint8_t>(best);
    info.data_bytes = size;
    info.min = m.min;
    info.max_minus_min = range;
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
            ForEachBits(data, count, bits,
                        [&](size_t i, unsigned value) { values[i] = info.min + value; });
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
