#include "comshu/core/block_encoder.h"

#include <algorithm>
#include <cstring>

#include "comshu/core/record.h"
#include "comshu/schema/core_generated.h"

namespace comshu::core {
namespace {

constexpr size_t kTypesPerBlock = 256;
constexpr uint16_t kLastToolType = 99;

void Append(uint64_t value, std::vector<uint8_t>* out) {
    uint8_t buffer[10];
    out->insert(out->end(), buffer, WriteVarint(buffer, value));
}

}  // namespace

void BlockEncoder::Begin(uint32_t thread) {
    thread_ = thread;
    records_ = heads_ = spans_ = tool_records_ = 0;
    first_tick_ = low_tick_ = high_tick_ = previous_tick_ = 0;
    last_span_ = SpanId(thread, 0);
    for (const uint16_t index : in_block_) types_[index].count = 0;
    in_block_.clear();
    for (auto& column : shared_) column.resize(kBlockRecords);
    field_.resize(kBlockRecords);
}

// Finds the index of a type in this block, adding it to the block where it is new. False: it cannot
// be encoded.
bool BlockEncoder::FindType(uint16_t type, uint8_t* index) {
    for (size_t i = 0; i < in_block_.size(); ++i) {
        if (types_[in_block_[i]].layout->type == type) {
            *index = static_cast<uint8_t>(i);
            return true;
        }
    }
    const RecordLayout* layout = schema_.Find(type);
    if (layout == nullptr || layout->archetype == Archetype::kArtifact ||
        in_block_.size() == kTypesPerBlock) {
        return false;
    }
    auto known = std::find_if(types_.begin(), types_.end(),
                              [&](const TypeColumns& columns) { return columns.layout == layout; });
    if (known == types_.end()) {
        TypeColumns columns;
        columns.layout = layout;
        columns.record_bytes = static_cast<uint32_t>(RecordBytes(layout->struct_bytes));
        columns.rows.resize(kBlockRecords);
        types_.push_back(std::move(columns));
        known = types_.end() - 1;
    }
    *index = static_cast<uint8_t>(in_block_.size());
    in_block_.push_back(static_cast<uint16_t>(known - types_.begin()));
    return true;
}

inline void BlockEncoder::AddHead(Head kind, const std::byte* record_struct) {
    uint64_t begin;
    uint64_t end;
    if (kind == Head::kSpan) {
        schema::SpanHead head;
        std::memcpy(static_cast<void*>(&head), record_struct, sizeof head);
        begin = head.begin();
        end = head.end();
        shared_[kDurationColumn][spans_] = end - begin;
        shared_[kSpanColumn][heads_] = ZigZag(head.span() - last_span_ - 1) * 2;
        shared_[kParentColumn][spans_] = head.parent_distance();
        shared_[kFlagsColumn][spans_] = static_cast<uint32_t>(head.flags());
        last_span_ = head.span();
        ++spans_;
    } else {
        schema::EventHead head;
        std::memcpy(static_cast<void*>(&head), record_struct, sizeof head);
        begin = end = head.tick();
        shared_[kSpanColumn][heads_] = head.span() == 0 ? 1 : ZigZag(head.span() - last_span_) * 2;
    }
    if (heads_ == 0) {
        first_tick_ = low_tick_ = begin;
        high_tick_ = end;
    } else {
        shared_[kStartColumn][heads_] = ZigZag(begin - previous_tick_);
        low_tick_ = std::min(low_tick_, begin);
        high_tick_ = std::max(high_tick_, end);
    }
    previous_tick_ = end;
    ++heads_;
}

size_t BlockEncoder::Add(const std::byte* records, size_t bytes, uint32_t limit, bool* refused) {
    limit = std::min(limit, kBlockRecords);
    size_t at = 0;
    uint16_t last_type = 0;  // Runs of one type are frequent.
    uint8_t index = 0;
    TypeColumns* type = nullptr;
    if (refused != nullptr) *refused = false;
    while (records_ < limit && IsWholeRecord(records + at, bytes - at)) {
        const RecordPrefix prefix = ReadPrefix(records + at);
        if (prefix.type != last_type) {
            if (!FindType(prefix.type, &index)) {
                if (refused != nullptr) *refused = true;
                break;
            }
            type = &types_[in_block_[index]];
            last_type = prefix.type;
        }
        if (prefix.bytes != type->record_bytes) {
            if (refused != nullptr) *refused = true;
            break;
        }
        const std::byte* record_struct = records + at + sizeof(RecordPrefix);
        shared_[kTypeColumn][records_++] = index;
        if (type->layout->head != Head::kNone) AddHead(type->layout->head, record_struct);
        type->rows[type->count++] = record_struct;
        at += prefix.bytes;
    }
    return at;
}

void BlockEncoder::PutEntry(const ColumnInfo& info, bool is_signed) {
    directory_.push_back(info.encoding);
    Append(info.data_bytes, &directory_);
    Append(is_signed ? ZigZag(info.min) : info.min, &directory_);
    Append(info.max_minus_min, &directory_);
}

void BlockEncoder::EncodeInto(const uint64_t* values, size_t count, bool is_signed) {
    PutEntry(encoder_.Encode(values, count, is_signed, &data_), is_signed);
}

void BlockEncoder::EncodeField(const TypeColumns& type, const Column& column) {
    const std::byte* const* rows = type.rows.data();
    const ColumnLoops& loops = encoder_.loops();
    if (type.count == 0 ||
        loops.gather_differs(rows, type.count, column.offset, column.width) == 0) {
        ColumnInfo constant;
        if (type.count != 0) constant.min = column.Load(rows[0]);
        PutEntry(constant, column.is_signed);
        return;
    }
    loops.gather(rows, type.count, column.offset, column.width, column.is_signed, field_.data());
    EncodeInto(field_.data(), type.count, column.is_signed);
}

void BlockEncoder::Finish(FrameHeader* header, std::vector<uint8_t>* payload) {
    if (heads_ > 0) shared_[kStartColumn][0] = ZigZag(first_tick_ - low_tick_);
    directory_.clear();
    data_.clear();
    EncodeInto(shared_[kTypeColumn].data(), records_, false);
    EncodeInto(shared_[kStartColumn].data(), heads_, false);
    EncodeInto(shared_[kDurationColumn].data(), spans_, false);
    EncodeInto(shared_[kSpanColumn].data(), heads_, false);
    EncodeInto(shared_[kParentColumn].data(), spans_, false);
    EncodeInto(shared_[kFlagsColumn].data(), spans_, false);
    payload->clear();
    Append(in_block_.size(), payload);
    for (const uint16_t index : in_block_) {
        const TypeColumns& type = types_[index];
        Append(type.layout->type, payload);
        Append(type.count, payload);
        Append(type.layout->struct_bytes, payload);
        if (type.layout->type <= kLastToolType) tool_records_ += type.count;
        for (size_t i = type.layout->head_columns(); i < type.layout->columns.size(); ++i) {
            EncodeField(type, type.layout->columns[i]);
        }
    }
    Append(directory_.size(), payload);
    payload->insert(payload->end(), directory_.begin(), directory_.end());
    payload->insert(payload->end(), data_.begin(), data_.end());
    header->kind = FrameKind::kRecords;
    header->encoding = FrameEncoding::kColumns;
    header->thread = thread_;
    header->record_count = records_;
    header->first_tick = low_tick_;
    header->last_tick = high_tick_;
}

}  // namespace comshu::core
