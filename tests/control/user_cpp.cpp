// A region ends with its scope, also by an exception, and regions in constructors, of one function and of
// several all nest (user_test.py). No MPI: two of these are ranks 0 and 1 by their own word.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "comshu/comshu.h"

namespace {

struct Timed {
    Timed() { comshu_region_begin("timed"); }
    ~Timed() { comshu_region_end("timed"); }
};

void Throw() {
    const comshu::Region region("throws");
    throw std::runtime_error("out");
}

}  // namespace

int main(int argc, char** argv) {
    const int rank = argc > 1 ? std::atoi(argv[1]) : 0;
    comshu_rank(rank, 2);
    for (int i = 0; i < 4; ++i) {
        const comshu::Region first("first");
        const std::string name = i % 2 == 0 ? "second" : "second odd";
        const comshu::Region second(name.c_str());
        const Timed timed;
        try {
            Throw();
        } catch (const std::runtime_error&) {
            comshu_mark("caught", i);
        }
    }
    if (rank == 0) comshu_message_sent("pipe", 1, 0, 100);
    if (rank == 1) comshu_message_received("pipe", 0, 0, 100);
    return 0;
}
