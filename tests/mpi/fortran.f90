! Fortran of mpi_f08: calls, sentinels and callers arrive as from C (fortran_test.py).
program fortran
    use mpi_f08
    implicit none
    integer :: rank, other, ierror, i
    real(8) :: a(10), b(10), grid(10, 10)
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status
    type(MPI_Comm) :: half
    type(MPI_Datatype) :: row

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    other = 1 - rank
    a = rank + 1
    call MPI_Irecv(b, 10, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a, 4, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Sendrecv(a, 5, MPI_DOUBLE_PRECISION, other, 11, b, 10, MPI_DOUBLE_PRECISION, other, 11, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Allreduce(MPI_IN_PLACE, a, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, half)
    call MPI_Barrier(half)
    call MPI_Comm_free(half)
    call MPI_Type_vector(10, 1, 10, MPI_DOUBLE_PRECISION, row)
    call MPI_Type_commit(row)
    grid = rank
    do i = 1, 2
        if (rank == 0) then
            call MPI_Send(grid, 1, row, 1, i, MPI_COMM_WORLD)
        else
            call MPI_Recv(grid(1, 1), 1, row, 0, i, MPI_COMM_WORLD, status)
        end if
    end do
    call MPI_Type_free(row)
    print *, rank, a(1), b(5)
    call MPI_Finalize(ierror)
end program fortran
