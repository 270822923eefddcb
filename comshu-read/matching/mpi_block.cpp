#include "matching/mpi_block.h"

#include <algorithm>

namespace comshu::read {
namespace {

struct RecordName {
    MpiRecord record;
    std::string_view name;
};
constexpr RecordName kRecordNames[] = {
    {MpiRecord::kPointToPoint, "MpiPointToPoint"},
    {MpiRecord::kReceive, "MpiReceive"},
    {MpiRecord::kSendReceive, "MpiSendReceive"},
    {MpiRecord::kProbe, "MpiProbe"},
    {MpiRecord::kRequestCall, "MpiRequestCall"},
    {MpiRecord::kCompletion, "MpiCompletion"},
    {MpiRecord::kStart, "MpiStart"},
    {MpiRecord::kCollective, "MpiCollective"},
    {MpiRecord::kLoss, "MpiLoss"},
};
// Of imported traces: never in one stream with the above.
constexpr RecordName kImportNames[] = {
    {MpiRecord::kPointToPoint, "ImportPointToPoint"}, {MpiRecord::kReceive, "ImportReceive"},
    {MpiRecord::kCompletion, "ImportCompletion"},     {MpiRecord::kCollective, "ImportCollective"},
    {MpiRecord::kRequestCall, "ImportCall"},
};

struct FieldName {
    MpiField field;
    std::string_view name;
};
constexpr FieldName kFieldNames[] = {
    {MpiField::kBegin, "begin"},
    {MpiField::kBegin, "tick"},
    {MpiField::kEnd, "end"},
    {MpiField::kSpan, "span"},
    {MpiField::kFlags, "flags"},
    {MpiField::kComm, "comm"},
    {MpiField::kBytes, "bytes"},
    {MpiField::kBytes, "bytes_in"},
    {MpiField::kRequest, "request"},
    {MpiField::kMessage, "message"},
    {MpiField::kTag, "tag"},
    {MpiField::kPeer, "peer"},
    {MpiField::kPeer, "source"},
    {MpiField::kWorldPeer, "world_peer"},
    {MpiField::kWorldPeer, "world_source"},
    {MpiField::kPostedTag, "posted_tag"},
    {MpiField::kPostedPeer, "posted_peer"},
    {MpiField::kReceiveBytes, "receive_bytes"},
    {MpiField::kReceiveTag, "receive_tag"},
    {MpiField::kReceivePeer, "receive_peer"},
    {MpiField::kReceiveWorldPeer, "receive_world_peer"},
    {MpiField::kFunction, "function"},
    {MpiField::kFound, "found"},
    {MpiField::kKind, "kind"},
    {MpiField::kBytesOut, "bytes_out"},
    {MpiField::kRoot, "root"},
    {MpiField::kOperation, "operation"},
    {MpiField::kLost, "lost"},
    {MpiField::kThread, "thread"},
    {MpiField::kDirection, "direction"},
};

template <typename... Fields>
constexpr uint32_t SetOf(Fields... fields) {
    return ((uint32_t{1} << static_cast<uint32_t>(fields)) | ...);
}
static_assert(static_cast<size_t>(MpiField::kFields) <= 32);

// What matching reads of each kind: decoding is half of its cost.
uint32_t NeededOf(MpiRecord record) {
    using enum MpiField;
    constexpr uint32_t kCall = SetOf(kBegin, kEnd, kSpan, kFlags);
    constexpr uint32_t kEnvelope = SetOf(kComm, kBytes, kTag, kPeer, kWorldPeer);
    switch (record) {
        case MpiRecord::kPointToPoint:
            return kCall | kEnvelope | SetOf(kRequest, kFunction);
        case MpiRecord::kReceive:
            return kCall | kEnvelope | SetOf(kMessage, kPostedTag, kPostedPeer, kFunction);
        case MpiRecord::kProbe:
            return kCall | kEnvelope | SetOf(kMessage, kFound);
        case MpiRecord::kRequestCall:
            return SetOf(kBegin, kEnd, kSpan);
        case MpiRecord::kCompletion:
            return SetOf(kBegin, kSpan, kFlags, kBytes, kRequest, kTag, kPeer, kWorldPeer, kKind);
        case MpiRecord::kStart:
            return SetOf(kBegin, kSpan, kRequest);
        case MpiRecord::kCollective:
            return SetOf(kBegin, kEnd, kSpan, kComm, kBytes, kBytesOut, kRequest, kRoot, kFunction,
                         kOperation);
        default:
            return ~uint32_t{0};
    }
}

uint64_t NullOf(MpiField field) {
    switch (field) {
        case MpiField::kBytes:
        case MpiField::kBytesOut:
        case MpiField::kReceiveBytes:
            return kNoBytes;
        case MpiField::kTag:
        case MpiField::kPeer:
        case MpiField::kWorldPeer:
        case MpiField::kPostedTag:
        case MpiField::kPostedPeer:
        case MpiField::kReceiveTag:
        case MpiField::kReceivePeer:
        case MpiField::kReceiveWorldPeer:
        case MpiField::kRoot:
            return static_cast<uint64_t>(int64_t{kNoNumber});
        default:
            return 0;
    }
}

MpiRecord RecordOf(const core::RecordLayout* layout) {
    if (layout == nullptr) return MpiRecord::kOther;
    const auto find = [&](const auto& names) {
        for (const RecordName& known : names) {
            if (layout->name == known.name) return known.record;
        }
        return MpiRecord::kOther;
    };
    if (layout->name.starts_with("Mpi")) return find(kRecordNames);
    if (layout->name.starts_with("Import")) return find(kImportNames);
    return MpiRecord::kOther;
}

bool IsCall(MpiRecord record) {
    return !BelongsToCall(record) && record != MpiRecord::kLoss;
}

}  // namespace

bool MpiBlock::Decode(core::BlockDecoder* decoder, size_t type, MpiRecord record) {
    const core::BlockDecoder::TypeRecords& records = decoder->types()[type];
    Columns& columns = columns_[static_cast<size_t>(record)];
    columns.rows = records.count;
    columns.next = 0;
    const uint32_t needed = NeededOf(record);
    for (size_t i = 0; i < kFields; ++i) {
        columns.fallback[i] = NullOf(static_cast<MpiField>(i));
        columns.data[i] = &columns.fallback[i];
        columns.row_mask[i] = 0;
    }
    for (const FieldName& known : kFieldNames) {
        const auto field = static_cast<size_t>(known.field);
        if (columns.row_mask[field] != 0 || (needed >> field & 1) == 0) continue;
        const int column = records.layout->FindColumn(known.name);
        if (column < 0) continue;
        if (decoder->IsConstant(type, static_cast<size_t>(column), &columns.fallback[field])) {
            if (known.field == MpiField::kComm)
                columns.fallback[field] = capture_->CommNumber(columns.fallback[field]);
            continue;
        }
        if (!decoder->Values(type, static_cast<size_t>(column), &columns.values[field]) ||
            columns.values[field].size() < columns.rows) {
            return false;
        }
        if (known.field == MpiField::kComm && capture_->HasCommNumbers()) {
            for (uint64_t& comm : columns.values[field]) comm = capture_->CommNumber(comm);
        }
        columns.data[field] = columns.values[field].data();
        columns.row_mask[field] = ~size_t{0};
    }
    return true;
}

void MpiBlock::TurnIntoNs(const TickScale& scale, Columns* columns) {
    const auto turn = [&](MpiField field, auto to_ns) {
        const auto index = static_cast<size_t>(field);
        columns->fallback[index] = static_cast<uint64_t>(to_ns(columns->fallback[index]));
        if (columns->row_mask[index] == 0) return;
        for (uint64_t& value : columns->values[index]) value = static_cast<uint64_t>(to_ns(value));
    };
    turn(MpiField::kBegin, [&](uint64_t ticks) { return scale.ToNs(ticks); });
    turn(MpiField::kEnd, [&](uint64_t ticks) { return ticks != 0 ? scale.ToNs(ticks) : kNoTime; });
}

bool MpiBlock::Open(const Block& block) {
    const core::Schema* schema = &capture_->processes()[block.process]->schema();
    if (schema != schema_) {
        decoder_.emplace(capture_->DecoderFor(block));
        schema_ = schema;
    }
    at_ = 0;
    sequence_.clear();
    is_damaged_ = !capture_->OpenBlock(block, &*decoder_);
    if (is_damaged_) return false;
    std::array<uint8_t, 256> of_type;  // kOther for all types that the block lacks.
    of_type.fill(static_cast<uint8_t>(MpiRecord::kOther));
    bool any = false;
    const TickScale& scale = capture_->processes()[block.process]->scale;
    for (size_t type = 0; type < decoder_->types().size(); ++type) {
        const MpiRecord record = RecordOf(decoder_->types()[type].layout);
        if (record != MpiRecord::kOther) {
            if (!Decode(&*decoder_, type, record)) return false;
            if (IsCall(record)) TurnIntoNs(scale, &columns_[static_cast<size_t>(record)]);
            any = true;
        }
        of_type[type] = static_cast<uint8_t>(record);
    }
    if (!any || !decoder_->Sequence(&sequence_)) return false;
    // Pointers of its own, since bytes might alias any other.
    uint8_t* kept = sequence_.data();
    const uint8_t* const end = kept + sequence_.size();
    for (const uint8_t* at = kept; at != end; ++at) {
        const uint8_t kind = of_type[*at];
        *kept = kind;
        kept += kind != static_cast<uint8_t>(MpiRecord::kOther) ? 1 : 0;
    }
    sequence_.resize(static_cast<size_t>(kept - sequence_.data()));
    return true;
}

}  // namespace comshu::read
