#include "paraver/name_files.h"

#include "paraver/mpi_events.h"

namespace comshu::format::paraver {

void WriteNames(const std::vector<OwnEvent>& own, const std::vector<std::string>& regions,
                FileOutput* out) {
    out->Write(
        "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nSTATES\n");
    for (size_t i = 0; i < std::size(kStates); ++i) out->Print("{}    {}\n", i, kStates[i]);
    for (const EventType& type : kMpiTypes) {
        out->Print("\nEVENT_TYPE\n9    {}    {}\nVALUES\n0    Outside MPI\n", type.type, type.name);
        for (const MpiEvent& event : MpiEvents()) {
            if (event.type == type.type) out->Print("{}    {}\n", event.value, event.name);
        }
        for (const OwnEvent& event : own) {
            if (event.type == type.type) out->Print("{}    {}\n", event.value, event.name);
        }
    }
    out->Write("\nEVENT_TYPE\n");
    for (const EventType& type : kCollectiveTypes)
        out->Print("1    {}    {}\n", type.type, type.name);
    out->Print("\nEVENT_TYPE\n9    {}    Region\nVALUES\n0    End\n", kRegionType);
    for (size_t i = 0; i < regions.size(); ++i) out->Print("{}    {}\n", i + 1, regions[i]);
}

}  // namespace comshu::format::paraver
