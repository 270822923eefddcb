// Messages of protobuf, written field by field.
#ifndef COMSHU_FORMATS_PERFETTO_PROTO_WRITER_H_
#define COMSHU_FORMATS_PERFETTO_PROTO_WRITER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace comshu::format::perfetto {

class ProtoMessage {
public:
    void Clear() { bytes_.clear(); }
    const std::string& bytes() const { return bytes_; }

    void Varint(uint32_t field, uint64_t value) {
        Key(field, 0);
        Raw(value);
    }
    void Fixed64(uint32_t field, uint64_t value) {
        Key(field, 1);
        Put(&value);
    }
    void Double(uint32_t field, double value) {
        Key(field, 1);
        Put(&value);
    }
    void Text(uint32_t field, std::string_view text) {
        Key(field, 2);
        Raw(text.size());
        bytes_ += text;
    }
    void Message(uint32_t field, const ProtoMessage& message) { Text(field, message.bytes_); }

private:
    void Key(uint32_t field, uint32_t wire) { Raw(uint64_t{field} << 3 | wire); }
    void Raw(uint64_t value) {
        while (value >= 0x80) {
            bytes_ += static_cast<char>(value | 0x80);
            value >>= 7;
        }
        bytes_ += static_cast<char>(value);
    }
    template <typename Value>
    void Put(const Value* value) {
        char bytes[sizeof *value];
        std::memcpy(bytes, value, sizeof bytes);
        bytes_.append(bytes, sizeof bytes);
    }

    std::string bytes_;
};

}  // namespace comshu::format::perfetto

#endif  // COMSHU_FORMATS_PERFETTO_PROTO_WRITER_H_
