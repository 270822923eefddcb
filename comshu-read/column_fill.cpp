#include "column_fill.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace comshu::read {
namespace {

template <typename T>
void CopyNarrow(const uint64_t* in, size_t count, void* out) {
    T* to = static_cast<T*>(out);
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<T>(in[i]);
}

// A float of any width as its own bits.
template <typename T>
void CopyFloats(const core::Column& field, const uint64_t* in, size_t count, void* out) {
    T* to = static_cast<T*>(out);
    for (size_t i = 0; i < count; ++i) {
        to[i] = field.width == 4
                    ? static_cast<T>(std::bit_cast<float>(static_cast<uint32_t>(in[i])))
                    : static_cast<T>(std::bit_cast<double>(in[i]));
    }
}

void CopyValues(const core::Column& field, const uint64_t* in, size_t count, void* out) {
    switch (field.width) {
        case 1:
            return CopyNarrow<uint8_t>(in, count, out);
        case 2:
            return CopyNarrow<uint16_t>(in, count, out);
        case 4:
            return CopyNarrow<uint32_t>(in, count, out);
        default:
            std::memcpy(out, in, count * sizeof(uint64_t));
    }
}

void SetNull(duckdb_vector out, size_t row) {
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(out), row);
}

}  // namespace

ColumnFill::ColumnFill(ColumnFill&& other) noexcept
    : column_(other.column_), constant_(std::exchange(other.constant_, nullptr)) {}

void ColumnFill::FindField(const core::RecordLayout& layout) {
    if (layout_ == &layout) return;
    layout_ = &layout;
    has_null_ = false;
    field_ = layout.FindColumn(column_->field.name);
    if (field_ < 0) return;
    const core::Column& field = layout.columns[static_cast<size_t>(field_)];
    const int bits = field.width * 8;
    const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    has_null_ = field.null != core::Null::kNever;
    switch (field.null) {
        case core::Null::kMax:
            null_value_ = field.is_signed ? all >> 1 : all;
            break;
        case core::Null::kMin:
            null_value_ = field.is_signed ? ~(all >> 1) : 0;
            break;
        default:
            null_value_ = 0;
    }
    // No span and no artifact has the id 0.
    if (column_->kind == TableColumnKind::kSpanId ||
        column_->kind == TableColumnKind::kArtifactId ||
        column_->kind == TableColumnKind::kArtifactText ||
        column_->kind == TableColumnKind::kArtifactList) {
        has_null_ = true;
    }
}

duckdb_value ColumnFill::MakeConstant(uint64_t value, bool is_null) const {
    if (is_null) return duckdb_create_null_value();
    switch (column_->kind) {
        case TableColumnKind::kTime:
        case TableColumnKind::kDuration:
            return duckdb_create_int64(static_cast<int64_t>(value));
        case TableColumnKind::kRank:
            return duckdb_create_int32(static_cast<int32_t>(value));
        case TableColumnKind::kProcessId:
        case TableColumnKind::kThread:
            return duckdb_create_uint32(static_cast<uint32_t>(value));
        case TableColumnKind::kSpanId:
        case TableColumnKind::kParentId:
        case TableColumnKind::kArtifactId:
            return duckdb_create_uint64(value);
        default:
            break;
    }
    const core::Column& field = column_->field;
    switch (field.width) {
        case 1:
            return field.is_signed ? duckdb_create_int8(static_cast<int8_t>(value))
                                   : duckdb_create_uint8(static_cast<uint8_t>(value));
        case 2:
            return field.is_signed ? duckdb_create_int16(static_cast<int16_t>(value))
                                   : duckdb_create_uint16(static_cast<uint16_t>(value));
        case 4:
            return field.is_signed ? duckdb_create_int32(static_cast<int32_t>(value))
                                   : duckdb_create_uint32(static_cast<uint32_t>(value));
        default:
            return field.is_signed ? duckdb_create_int64(static_cast<int64_t>(value))
                                   : duckdb_create_uint64(value);
    }
}

void ColumnFill::ForgetConstant() {
    if (constant_ != nullptr) duckdb_destroy_value(&constant_);
    constant_ = nullptr;
}

void ColumnFill::SetConstant(uint64_t value, bool is_null) {
    ForgetConstant();
    constant_ = MakeConstant(value, is_null);
}

bool ColumnFill::LoadParent(core::BlockDecoder* decoder, size_t type_index) {
    const int span = layout_->FindColumn("span");
    std::vector<uint64_t> distance;
    if (field_ < 0 || span < 0 ||
        !decoder->Values(type_index, static_cast<size_t>(field_), &distance) ||
        !decoder->Values(type_index, static_cast<size_t>(span), &values_)) {
        return false;
    }
    for (size_t i = 0; i < values_.size(); ++i) {
        values_[i] = distance[i] == 0 ? 0 : process_->CaptureSpanId(values_[i] - distance[i]);
    }
    has_null_ = true;
    null_value_ = 0;
    return true;
}

bool ColumnFill::Load(const Capture& capture, const Block& block, core::BlockDecoder* decoder,
                      size_t type_index) {
    if (column_ == nullptr) return true;
    ForgetConstant();
    process_ = capture.processes()[block.process].get();
    switch (column_->kind) {
        case TableColumnKind::kRank:
            SetConstant(static_cast<uint64_t>(process_->rank), process_->rank == kNoRank);
            return true;
        case TableColumnKind::kProcessId:
            SetConstant(process_->id, false);
            return true;
        case TableColumnKind::kThread:
            SetConstant(block.header.thread, block.definitions());
            return true;
        default:
            break;
    }
    FindField(*decoder->types()[type_index].layout);
    if (column_->kind == TableColumnKind::kParentId) return LoadParent(decoder, type_index);
    if (field_ < 0) {
        SetConstant(0, true);
        return true;
    }
    const auto field = static_cast<size_t>(field_);
    uint64_t value = 0;
    const bool plain = (column_->kind == TableColumnKind::kValue && !column_->field.is_float) ||
                       column_->kind == TableColumnKind::kArtifactId ||
                       column_->kind == TableColumnKind::kComm;
    if (plain && decoder->IsConstant(type_index, field, &value)) {
        if (column_->kind == TableColumnKind::kComm) value = capture.CommNumber(value);
        SetConstant(value, has_null_ && value == null_value_);
        return true;
    }
    if (!decoder->Values(type_index, field, &values_)) return false;
    if (column_->kind == TableColumnKind::kSpanId) {
        for (uint64_t& id : values_) id = id == 0 ? 0 : process_->CaptureSpanId(id);
    } else if (column_->kind == TableColumnKind::kComm && capture.HasCommNumbers()) {
        for (uint64_t& id : values_) id = capture.CommNumber(id);
    }
    return true;
}

void ColumnFill::Fill(const Artifacts& artifacts, size_t row, size_t count, duckdb_vector out) {
    if (column_ == nullptr) return;
    if (constant_ != nullptr) {
        duckdb_vector_reference_value(out, constant_);
        return;
    }
    const uint64_t* in = values_.data() + row;
    bool nulls = false;
    if (has_null_) {
        for (size_t i = 0; i < count; ++i) nulls |= in[i] == null_value_;
        if (nulls) {
            duckdb_vector_ensure_validity_writable(out);
            for (size_t i = 0; i < count; ++i) {
                if (in[i] == null_value_) SetNull(out, i);
            }
        }
    }
    switch (column_->kind) {
        case TableColumnKind::kTime: {
            auto* to = static_cast<int64_t*>(duckdb_vector_get_data(out));
            const TickScale scale = process_->scale;
            for (size_t i = 0; i < count; ++i) to[i] = scale.ToNs(in[i]);
            break;
        }
        case TableColumnKind::kDuration: {
            auto* to = static_cast<int64_t*>(duckdb_vector_get_data(out));
            const TickScale scale = process_->scale;
            for (size_t i = 0; i < count; ++i) to[i] = scale.DurationNs(in[i]);
            break;
        }
        case TableColumnKind::kSpanId:
        case TableColumnKind::kParentId:
        case TableColumnKind::kArtifactId:
            std::memcpy(duckdb_vector_get_data(out), in, count * sizeof(uint64_t));
            break;
        case TableColumnKind::kArtifactText:
            for (size_t i = 0; i < count; ++i) {
                if (in[i] == null_value_) continue;
                const std::string& text = artifacts.Text(in[i]);
                duckdb_vector_assign_string_element_len(out, i, text.data(), text.size());
            }
            break;
        case TableColumnKind::kArtifactList: {
            auto* to = static_cast<duckdb_list_entry*>(duckdb_vector_get_data(out));
            for (size_t i = 0; i < count; ++i) {
                const std::vector<int32_t> list = artifacts.Int32List(in[i]);
                const idx_t at = duckdb_list_vector_get_size(out);
                duckdb_list_vector_reserve(out, at + list.size());
                if (!list.empty()) {
                    auto* child = static_cast<int32_t*>(
                        duckdb_vector_get_data(duckdb_list_vector_get_child(out)));
                    std::memcpy(child + at, list.data(), list.size() * sizeof(int32_t));
                }
                duckdb_list_vector_set_size(out, at + list.size());
                to[i] = {at, list.size()};
            }
            break;
        }
        default:
            if (column_->field.is_float) {
                const core::Column& field = layout_->columns[static_cast<size_t>(field_)];
                if (column_->field.width == 4)
                    CopyFloats<float>(field, in, count, duckdb_vector_get_data(out));
                else
                    CopyFloats<double>(field, in, count, duckdb_vector_get_data(out));
            } else {
                CopyValues(column_->field, in, count, duckdb_vector_get_data(out));
            }
    }
}

}  // namespace comshu::read
