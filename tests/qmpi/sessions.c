/* MPI through sessions alone, twice over, and what may be asked before, between and behind them. One rank.
 * An MPI without sessions: exit status 77. */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION < 4
int main(void) {
    return 77;
}
#else
static int Cycle(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int size = -1, sum = -1;
    const int one = 1;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "tests", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return size == 1 && sum == 1;
}

int main(void) {
    MPI_Session first; /* Debian's MPICH 4.0.2 fails in the one that follows the last one's end */
    int good = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first) == MPI_SUCCESS;
    for (int i = 0; i < 2; i++) {
        int initialized = -1, version, subversion;
        MPI_Initialized(&initialized);
        MPI_Get_version(&version, &subversion);
        good &= Cycle() && initialized == 0 && version >= 4;
    }
    MPI_Session_finalize(&first);
    puts(good ? "OK" : "WRONG");
    return 0;
}
#endif
