! Ten routines, each called once by each of two ranks. Prints OK when the results are right.
program ten
    use mpi
    implicit none
    integer :: ierr, rank, ranks, length, status(MPI_STATUS_SIZE)
    integer :: value(1), other(1), mine(1), seed(1)
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    double precision :: t
    value = 1
    other = -1
    seed = -1
    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
    call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
    mine = rank
    if (rank == 0) then
        call mpi_send(mine, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, ierr)
        call mpi_recv(other, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, status, ierr)
        seed = 42
    else
        call mpi_recv(other, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call mpi_send(mine, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
    end if
    call mpi_bcast(seed, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call mpi_allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    t = mpi_wtime()
    call mpi_get_processor_name(name, length, ierr)
    call mpi_finalize(ierr)
    if (ranks == 2 .and. other(1) == 1 - rank .and. seed(1) == 42 .and. value(1) == 2 .and. t >= 0 &
        .and. length > 0 .and. name(length + 1:) == ' ') then
        print '(a,i2)', 'OK', rank
    else
        print '(a,i2)', 'WRONG', rank
        stop 1
    end if
end program
