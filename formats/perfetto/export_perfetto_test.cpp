// What is exported, taken apart field by field, against the rules of Perfetto's importer.
#include <cstring>
#include <map>
#include <set>

#include "comshu/format/export.h"
#include "testing_import.h"

namespace comshu::format {
namespace {

struct Field {
    uint32_t number = 0;
    uint64_t value = 0;     // Varint or fixed64.
    std::string_view text;  // Length-delimited.
};

std::vector<Field> Fields(std::string_view bytes) {
    std::vector<Field> fields;
    size_t at = 0;
    const auto varint = [&] {
        uint64_t value = 0;
        for (int shift = 0; at < bytes.size(); shift += 7) {
            const auto byte = static_cast<uint8_t>(bytes[at++]);
            value |= uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) break;
        }
        return value;
    };
    while (at < bytes.size()) {
        const uint64_t key = varint();
        Field field;
        field.number = static_cast<uint32_t>(key >> 3);
        if ((key & 7) == 0) {
            field.value = varint();
        } else if ((key & 7) == 1) {
            std::memcpy(&field.value, bytes.data() + at, 8);
            at += 8;
        } else {
            EXPECT_EQ(key & 7, 2u);
            const size_t size = varint();
            field.text = bytes.substr(at, size);
            at += size;
        }
        fields.push_back(field);
    }
    EXPECT_EQ(at, bytes.size());
    return fields;
}

const Field* Find(const std::vector<Field>& fields, uint32_t number) {
    for (const Field& field : fields) {
        if (field.number == number) return &field;
    }
    return nullptr;
}

class PerfettoExport : public testing::ImportTest {
protected:
    struct Event {
        uint64_t ns = 0;
        uint64_t type = 0;
        std::string name;
        std::set<uint64_t> flows, last_flows;
    };

    void Export() {
        const std::string path = folder_ + "/exported";
        ExportResult result;
        std::string error;
        ASSERT_TRUE(ExportPerfetto(database_.get(), path, &result, &error)) << error;
        text_ = Read(path);
        uint64_t packets = 0;
        for (const Field& outer : Fields(text_)) {
            ASSERT_EQ(outer.number, 1u);
            ++packets;
            const std::vector<Field> packet = Fields(outer.text);
            ASSERT_NE(Find(packet, 10), nullptr);
            if (const Field* description = Find(packet, 60)) {
                const std::vector<Field> track = Fields(description->text);
                EXPECT_TRUE(uuids_.insert(Find(track, 1)->value).second) << "a track twice";
                const Field* parent = Find(track, 5);
                if (parent != nullptr) {
                    EXPECT_TRUE(uuids_.contains(parent->value));
                }
                continue;
            }
            const std::vector<Field> fields = Fields(Find(packet, 11)->text);
            Event event;
            event.ns = Find(packet, 8)->value;
            event.type = Find(fields, 9)->value;
            if (const Field* name = Find(fields, 23)) event.name = name->text;
            for (const Field& field : fields) {
                if (field.number == 47) event.flows.insert(field.value);
                if (field.number == 48) event.last_flows.insert(field.value);
            }
            const uint64_t uuid = Find(fields, 11)->value;
            EXPECT_TRUE(uuids_.contains(uuid)) << "an event on a track that is not described";
            tracks_[uuid].push_back(event);
        }
        EXPECT_EQ(packets, result.records);
        CheckTracks();
    }

    // Begins and ends are in order of time and close each other.
    void CheckTracks() {
        for (const auto& [uuid, events] : tracks_) {
            int depth = 0;
            uint64_t last = 0;
            for (const Event& event : events) {
                if (event.type > 2) continue;
                EXPECT_GE(event.ns, last);
                last = event.ns;
                depth += event.type == 1 ? 1 : -1;
                EXPECT_GE(depth, 0);
            }
            EXPECT_EQ(depth, 0);
        }
    }

    std::string text_;
    std::set<uint64_t> uuids_;
    std::map<uint64_t, std::vector<Event>> tracks_;
};

TEST_F(PerfettoExport, AnArrowGoesFromTheBeginOfASendToTheEndOfAReceive) {
    // The receive begins first, so begins alone would turn the arrow round.
    ImportText("7 0 5 1 7\n4 0 10 0 1 7 8\n11 0 10 0 0 0\n11 0 15 0 0 5\n8 0 50 1 0 7 8\n");
    Export();
    uint64_t sent = 0;
    uint64_t received = 0;
    for (const auto& [uuid, events] : tracks_) {
        for (const Event& event : events) {
            if (!event.flows.empty()) {
                EXPECT_EQ(event.type, 1u);
                EXPECT_EQ(event.name, "send");
                sent = event.ns;
            }
            if (!event.last_flows.empty()) {
                EXPECT_EQ(event.type, 2u);
                received = event.ns;
            }
        }
    }
    EXPECT_EQ(sent, 10'000u);
    EXPECT_EQ(received, 50'000u);
}

TEST_F(PerfettoExport, OverlapsMarksAndCounters) {
    ImportText(
        "20 0 0 0 1 0 0\n20 0 5 0 2 0 0\n21 0 10 0 1 0 0\n21 0 15 0 2 0 0\n15 0 16 0 1\n"
        "11 0 17 0 1 500000\n15 0 18 1 1\n");
    Export();
    std::map<uint64_t, int> types;
    for (const auto& [uuid, events] : tracks_) {
        for (const Event& event : events) ++types[event.type];
    }
    EXPECT_EQ(types[1], 2);
    EXPECT_EQ(types[2], 2);
    EXPECT_EQ(types[3], 2);
    EXPECT_EQ(types[4], 1);
    // Two processes, two rows of the first thread, the row of the second mark, a counter.
    EXPECT_EQ(uuids_.size(), 6u);
}

}  // namespace
}  // namespace comshu::format
