// Destructors of thread_local objects, static objects and atexit functions that call MPI.
#include <cstdlib>
#include <thread>

#include <mpi.h>

namespace {

struct CallsWhenGone {
    ~CallsWhenGone() {
        int version;
        int subversion;
        MPI_Get_version(&version, &subversion);
    }
    void Touch() { touched = true; }
    bool touched = false;
};

thread_local CallsWhenGone of_thread;
CallsWhenGone of_process;

}  // namespace

int main(int count, char** arguments) {
    int provided;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 10; ++i) std::thread([] { of_thread.Touch(); }).join();
    std::atexit([] {
        int version;
        int subversion;
        MPI_Get_version(&version, &subversion);
    });
    of_process.Touch();
    MPI_Finalize();
    return 0;
}
