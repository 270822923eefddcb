! Spawns two processes of the program that is named as argument (spawning.c), with the constants that say
! "no arguments" and "no error codes". USE_F08 selects mpi_f08, else mpi.
program spawning
#ifdef USE_F08
    use mpi_f08
    implicit none
    type(MPI_Comm) :: between, all
#else
    use mpi
    implicit none
    integer :: between, all
#endif
    integer :: rank, total, ierr
    character(len=1024) :: path
    call get_command_argument(1, path)
    call MPI_Init(ierr)
    call MPI_Comm_spawn(trim(path), MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, between, &
                        MPI_ERRCODES_IGNORE, ierr)
    call MPI_Intercomm_merge(between, .false., all, ierr)
    call MPI_Comm_rank(all, rank, ierr)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, all, ierr)
    call MPI_Comm_free(all, ierr)
    call MPI_Comm_disconnect(between, ierr)
    call MPI_Finalize(ierr)
    print '(a)', merge('OK   ', 'WRONG', total == 3)
end program
