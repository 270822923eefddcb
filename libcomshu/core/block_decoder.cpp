#include "comshu/core/block_decoder.h"

#include "comshu/core/block_format.h"
#include "comshu/core/record.h"

namespace comshu::core {
namespace {

bool Fail(std::string* error, const char* reason) {
    *error = reason;
    return false;
}

// The order of the columns of a head, as declared in schema/core.fbs.
enum SpanHeadColumn : size_t { kBegin, kEnd, kSpan, kParent, kFlags };

bool IsConstantColumn(const ColumnInfo& info) {
    return static_cast<ColumnEncoding>(info.encoding) == ColumnEncoding::kConstant &&
           info.data_bytes == 0;
}

}  // namespace

bool BlockDecoder::Open(const FrameHeader& header, const uint8_t* payload, std::string* error) {
    header_ = header;
    payload_ = payload;
    types_.clear();
    directory_.clear();
    data_offsets_.clear();
    raw_sequence_.clear();
    heads_.decoded = heads_.sound = false;  // Their memory serves the next block.
    head_count_ = span_count_ = 0;
    switch (header.encoding) {
        case FrameEncoding::kRaw:
            return OpenRaw(error);
        case FrameEncoding::kColumns:
            return OpenColumns(error);
        case FrameEncoding::kPackedRaw:
            if (decompress_ == nullptr || !decompress_(payload, header.payload_bytes, &unpacked_)) {
                return Fail(error, "it cannot be unpacked");
            }
            header_.encoding = FrameEncoding::kRaw;
            header_.payload_bytes = unpacked_.size();
            payload_ = unpacked_.data();
            return OpenRaw(error);
    }
    return Fail(error, "unknown block encoding");
}

bool BlockDecoder::OpenRaw(std::string* error) {
    const auto* records = reinterpret_cast<const std::byte*>(payload_);
    size_t at = 0;
    while (IsWholeRecord(records + at, header_.payload_bytes - at)) {
        const RecordPrefix prefix = ReadPrefix(records + at);
        size_t index = 0;
        while (index < types_.size() && types_[index].type != prefix.type) ++index;
        if (index == types_.size()) {
            if (index == 256) return Fail(error, "too many record types in a block");
            TypeRecords type;
            type.layout = schema_.Find(prefix.type);
            type.type = prefix.type;
            types_.push_back(std::move(type));
        }
        TypeRecords& type = types_[index];
        if (type.layout != nullptr && prefix.bytes < RecordBytes(type.layout->struct_bytes)) {
            return Fail(error, "a record is shorter than its type");
        }
        type.rows.push_back(static_cast<uint32_t>(at));
        ++type.count;
        raw_sequence_.push_back(static_cast<uint8_t>(index));
        at += prefix.bytes;
    }
    if (at != header_.payload_bytes || raw_sequence_.size() != header_.record_count) {
        return Fail(error, "a raw block does not end at a record");
    }
    return true;
}

bool BlockDecoder::OpenColumns(std::string* error) {
    const uint8_t* at = payload_;
    const uint8_t* const end = payload_ + header_.payload_bytes;
    const auto next = [&](uint64_t* value) {
        return (at = at == nullptr ? at : ReadVarint(at, end, value)) != nullptr;
    };
    uint64_t type_count = 0;
    if (!next(&type_count) || type_count > 256) return Fail(error, "damaged list of types");
    if (header_.record_count > kBlockRecords) return Fail(error, "too many records in a block");
    size_t columns = kSharedColumns;
    uint64_t records = 0;
    for (uint64_t i = 0; i < type_count; ++i) {
        uint64_t number = 0, count = 0, struct_bytes = 0;
        if (!next(&number) || !next(&count) || !next(&struct_bytes))
            return Fail(error, "damaged list of types");
        TypeRecords type;
        type.layout = number <= 0xffff ? schema_.Find(static_cast<uint16_t>(number)) : nullptr;
        // Columns are only as many as the layout says: without it the rest cannot be found.
        if (type.layout == nullptr || type.layout->struct_bytes != struct_bytes) {
            return Fail(error, "a record type that the stream's schema does not describe");
        }
        type.type = static_cast<uint16_t>(number);
        type.count = static_cast<uint32_t>(count);
        type.first_column = columns;
        columns += type.layout->columns.size() - type.layout->head_columns();
        records += count;
        if (records > header_.record_count) return Fail(error, "record counts do not agree");
        if (type.layout->head != Head::kNone) head_count_ += type.count;
        if (type.layout->head == Head::kSpan) span_count_ += type.count;
        types_.push_back(std::move(type));
    }
    uint64_t directory_bytes = 0;
    if (records != header_.record_count || !next(&directory_bytes) ||
        directory_bytes > static_cast<uint64_t>(end - at)) {
        return Fail(error, "record counts do not agree");
    }
    uint64_t offset = static_cast<uint64_t>(at - payload_) + directory_bytes;
    const auto add_column = [&](bool is_signed) {
        ColumnInfo info;
        if (at == end) return false;
        info.encoding = *at++;
        if (!next(&info.data_bytes) || !next(&info.min) || !next(&info.max_minus_min)) return false;
        if (is_signed) info.min = UnZigZag(info.min);
        if (info.data_bytes > header_.payload_bytes - offset) return false;
        directory_.push_back(info);
        data_offsets_.push_back(offset);
        offset += info.data_bytes;
        return true;
    };
    for (int i = 0; i < kSharedColumns; ++i) {
        if (!add_column(false)) return Fail(error, "damaged column directory");
    }
    for (const TypeRecords& type : types_) {
        for (size_t i = type.layout->head_columns(); i < type.layout->columns.size(); ++i) {
            if (!add_column(type.layout->columns[i].is_signed))
                return Fail(error, "damaged column directory");
        }
    }
    return true;
}

bool BlockDecoder::Decode(size_t directory_index, size_t count, std::vector<uint64_t>* out) {
    ColumnInfo info = directory_[directory_index];
    const uint8_t* data = payload_ + data_offsets_[directory_index];
    std::vector<uint8_t> unpacked;
    if (info.encoding & kZstdFlag) {
        if (decompress_ == nullptr || !decompress_(data, info.data_bytes, &unpacked)) return false;
        data = unpacked.data();
        info.data_bytes = unpacked.size();
    }
    out->resize(count);
    return DecodeColumn(info, data, count, out->data());
}

bool BlockDecoder::Sequence(std::vector<uint8_t>* out) {
    if (header_.encoding == FrameEncoding::kRaw) {
        *out = raw_sequence_;
        return true;
    }
    // Kept, since every block has some.
    thread_local std::vector<uint64_t> values;
    if (!Decode(kTypeColumn, header_.record_count, &values)) return false;
    const size_t count = values.size();
    const uint64_t* const type_of = values.data();
    out->resize(count);
    uint8_t* const bytes = out->data();
    uint64_t most = 0;
    for (size_t i = 0; i < count; ++i) {
        most |= type_of[i];
        bytes[i] = static_cast<uint8_t>(type_of[i]);
    }
    if (most > 0xff) return false;
    // In turns, since each count waits for the one before it.
    uint32_t seen[2][256] = {};
    for (size_t i = 0; i < count; ++i) ++seen[i % 2][bytes[i]];
    for (size_t i = 0; i < 256; ++i) {
        if (seen[0][i] + seen[1][i] != (i < types_.size() ? types_[i].count : 0)) return false;
    }
    return true;
}

bool BlockDecoder::DecodeHeads() {
    if (heads_.decoded) return heads_.sound;
    heads_.decoded = true;
    // As they are coded; kept, since every block has some.
    thread_local std::vector<uint8_t> sequence;
    thread_local std::vector<uint64_t> start, duration, span, parent, flags;
    if (!Sequence(&sequence) || !Decode(kStartColumn, head_count_, &start) ||
        !Decode(kDurationColumn, span_count_, &duration) ||
        !Decode(kSpanColumn, head_count_, &span)) {
        return false;
    }
    const bool has_parents = !IsConstantColumn(directory_[kParentColumn]);
    const bool has_flags = !IsConstantColumn(directory_[kFlagsColumn]);
    if ((has_parents && !Decode(kParentColumn, span_count_, &parent)) ||
        (has_flags && !Decode(kFlagsColumn, span_count_, &flags))) {
        return false;
    }
    heads_.begin.resize(head_count_);
    heads_.end.resize(head_count_);
    heads_.span.resize(head_count_);
    if (has_parents) heads_.parent.resize(head_count_);
    if (has_flags) heads_.flags.resize(head_count_);
    heads_.of_type.resize(types_.size());
    Head head_of_type[256];
    uint32_t* next_of_type[256];
    for (size_t type = 0; type < types_.size(); ++type) {
        head_of_type[type] = types_[type].layout->head;
        heads_.of_type[type].resize(head_of_type[type] == Head::kNone ? 0 : types_[type].count);
        next_of_type[type] = heads_.of_type[type].data();
    }
    uint64_t previous = header_.first_tick;
    uint64_t last_span = SpanId(header_.thread, 0);
    size_t at = 0;
    size_t spans = 0;
    for (const uint8_t type : sequence) {
        const Head head = head_of_type[type];
        if (head == Head::kNone) continue;
        *next_of_type[type]++ = static_cast<uint32_t>(at);
        const uint64_t begin = previous + UnZigZag(start[at]);
        heads_.begin[at] = begin;
        if (head == Head::kSpan) {
            previous = begin + duration[spans];
            last_span = last_span + 1 + UnZigZag(span[at] / 2);
            heads_.span[at] = last_span;
            if (has_parents) heads_.parent[at] = parent[spans];
            if (has_flags) heads_.flags[at] = flags[spans];
            ++spans;
        } else {
            previous = begin;
            heads_.span[at] = span[at] == 1 ? 0 : last_span + UnZigZag(span[at] / 2);
        }
        heads_.end[at++] = previous;
    }
    return heads_.sound = true;
}

bool BlockDecoder::Values(size_t type_index, size_t column, std::vector<uint64_t>* out) {
    const TypeRecords& type = types_[type_index];
    if (type.layout == nullptr || column >= type.layout->columns.size()) return false;
    if (header_.encoding == FrameEncoding::kRaw) {
        out->resize(type.count);
        const Column& description = type.layout->columns[column];
        for (size_t i = 0; i < type.count; ++i) {
            (*out)[i] = description.Load(reinterpret_cast<const std::byte*>(payload_) +
                                         type.rows[i] + sizeof(RecordPrefix));
        }
        return true;
    }
    const size_t head_columns = type.layout->head_columns();
    if (column >= head_columns) {
        return Decode(type.first_column + column - head_columns, type.count, out);
    }
    if (uint64_t value = 0; IsConstant(type_index, column, &value)) {
        out->assign(type.count, value);
        return true;
    }
    if (!DecodeHeads()) return false;
    const std::vector<uint64_t>* source = &heads_.begin;
    if (type.layout->head == Head::kInstant) {
        source = column == 0 ? &heads_.begin : &heads_.span;
    } else if (column == kEnd) {
        source = &heads_.end;
    } else if (column == kSpan) {
        source = &heads_.span;
    } else if (column == kParent) {
        source = &heads_.parent;
    } else if (column == kFlags) {
        source = &heads_.flags;
    }
    out->resize(type.count);
    const auto& rows = heads_.of_type[type_index];
    for (size_t i = 0; i < rows.size(); ++i) (*out)[i] = (*source)[rows[i]];
    return true;
}

bool BlockDecoder::IsConstant(size_t type_index, size_t column, uint64_t* value) const {
    const TypeRecords& type = types_[type_index];
    if (header_.encoding == FrameEncoding::kRaw || type.layout == nullptr ||
        column >= type.layout->columns.size()) {
        return false;
    }
    size_t index = type.first_column + column - type.layout->head_columns();
    if (column < type.layout->head_columns()) {
        const bool of_span = type.layout->head == Head::kSpan;
        if (!of_span || (column != kParent && column != kFlags)) return false;
        index = column == kParent ? kParentColumn : kFlagsColumn;
    }
    if (!IsConstantColumn(directory_[index])) return false;
    *value = directory_[index].min;
    return true;
}

const uint8_t* BlockDecoder::RawRecord(size_t type_index, size_t row) const {
    if (header_.encoding != FrameEncoding::kRaw || row >= types_[type_index].rows.size())
        return nullptr;
    return payload_ + types_[type_index].rows[row];
}

}  // namespace comshu::core
