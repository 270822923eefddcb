! Arguments that are not what they seem: constants that stand for themselves by their address, statuses that
! nobody wants, strings, logicals, positions counted from 1. Two ranks; every result is checked. USE_F08
! selects mpi_f08, USE_MPI mpi, else mpif.h.
#ifdef USE_F08
#define HANDLE(kind) type(MPI_/**/kind)
#else
#define HANDLE(kind) integer
#endif
program sentinels
#if defined(USE_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if !defined(USE_F08) && !defined(USE_MPI)
    include 'mpif.h'
#endif
    HANDLE(Comm) :: graph
    HANDLE(Datatype) :: types(1)
    HANDLE(Request) :: requests(2)
    integer :: ierr, rank, other, at, many, length, degree_in, degree_out, wrong
    integer :: total, seven(1), two(2), positions(2), neighbors(1), lengths(1)
    integer, volatile :: value(1), got(1)
    integer(kind=MPI_ADDRESS_KIND) :: addresses(1)
    logical :: flag
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    character(len=MPI_MAX_ERROR_STRING) :: text

    wrong = 0
    call MPI_Initialized(flag, ierr)
    call check(.not. flag, 1)
    call MPI_Init(ierr)
    call MPI_Initialized(flag, ierr)
    call check(flag, 2)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    other = 1 - rank
    seven = 7 + rank

    two = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, two, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(all(two == 3), 3)
    two = -1
    two(rank + 1) = rank + 10
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, two, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all(two == [10, 11]), 4)

    value = 100 + rank
    got = -1
    lengths = 1
    if (rank == 0) call MPI_Get_address(value, addresses(1), ierr)
    if (rank == 1) call MPI_Get_address(got, addresses(1), ierr)
    call MPI_Type_create_hindexed(1, lengths, addresses, MPI_INTEGER, types(1), ierr)
    call MPI_Type_commit(types(1), ierr)
    if (rank == 0) call MPI_Send(MPI_BOTTOM, 1, types(1), 1, 3, MPI_COMM_WORLD, ierr)
    if (rank == 1) then
        call MPI_Probe(0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call MPI_Recv(MPI_BOTTOM, 1, types(1), 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call check(got(1) == 100, 5)
    end if
    call MPI_Type_free(types(1), ierr)

    two = -1
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, other, 4, two(1), 1, MPI_INTEGER, other, 4, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(two(1) == other, 6)
    call start()
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call check(two(2) == 7 + other, 7)
    call start()
    call MPI_Waitany(2, requests, at, MPI_STATUS_IGNORE, ierr)
    call check(at == 1 .or. at == 2, 8)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call start()
    at = 0
    total = 0
    do while (at < 2)
        call MPI_Waitsome(2, requests, many, positions, MPI_STATUSES_IGNORE, ierr)
        call check(many >= 1, 9)
        at = at + max(many, 1)
        total = total + sum(positions(1:many))
    end do
    ! What MPICH answers here depends on the binding.
    print '(a,i0)', 'positions: ', total
    requests = MPI_REQUEST_NULL
    call MPI_Testany(2, requests, at, flag, MPI_STATUS_IGNORE, ierr)
    print '(a,i0,a,l1)', 'none: ', at, ' ', flag

    neighbors = other
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, neighbors, MPI_UNWEIGHTED, 1, neighbors, &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierr)
    flag = .true.
    call MPI_Dist_graph_neighbors_count(graph, degree_in, degree_out, flag, ierr)
    call check(degree_in == 1 .and. degree_out == 1 .and. .not. flag, 10)
    call MPI_Comm_free(graph, ierr)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, neighbors, MPI_WEIGHTS_EMPTY, 0, neighbors, &
                                        MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Dist_graph_neighbors_count(graph, degree_in, degree_out, flag, ierr)
    call check(degree_in == 0 .and. degree_out == 0 .and. flag, 11)
    call MPI_Comm_free(graph, ierr)

    name = repeat('x', len(name))
    call MPI_Get_processor_name(name, length, ierr)
    call check(length > 0 .and. len_trim(name) == length, 12)
    text = repeat('x', len(text))
    call MPI_Error_string(MPI_ERR_RANK, text, length, ierr)
    call check(length > 0 .and. len_trim(text) == length, 13)
    flag = .true.
    call MPI_Iprobe(other, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
    call check(.not. flag, 14)

    call MPI_Finalize(ierr)
    if (wrong == 0) print '(a)', 'OK'

contains
    subroutine check(good, which)
        logical, intent(in) :: good
        integer, intent(in) :: which
        if (.not. good) print '(a,i0)', 'WRONG ', which
        if (.not. good) wrong = wrong + 1
    end subroutine

    subroutine start()
        call MPI_Irecv(two(2), 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(1), ierr)
        call MPI_Isend(seven, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(2), ierr)
    end subroutine
end program
