! Routines whose Fortran bindings call helpers, reach no C function, or convert sentinels, strings,
! logicals and callbacks. Two ranks; every result is checked. USE_F08 selects mpi_f08, else mpi.
module callbacks
#ifdef USE_F08
    use mpi_f08
#else
    use mpi
#endif
    implicit none
    integer :: window(2)
contains
    subroutine add(in, inout, length, datatype)
#ifdef USE_F08
        use, intrinsic :: iso_c_binding
        type(c_ptr), value :: in, inout
        integer :: length
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:), b(:)
        call c_f_pointer(in, a, [length])
        call c_f_pointer(inout, b, [length])
        b = a + b
        if (datatype == MPI_DATATYPE_NULL) b = -1
#else
        integer :: length, datatype
        integer :: in(length), inout(length)
        inout = in + inout
        if (datatype == MPI_DATATYPE_NULL) inout = -1
#endif
    end subroutine
    subroutine failed(comm, code)
#ifdef USE_F08
        type(MPI_Comm) :: comm
#else
        integer :: comm
#endif
        integer :: code
        if (comm == MPI_COMM_NULL) code = 0
    end subroutine
end module

program many
    use callbacks
    implicit none
#ifdef USE_F08
#define HANDLE(kind) type(MPI_/**/kind)
    type(MPI_Status) :: status, statuses(2)
#else
#define HANDLE(kind) integer
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#endif
    HANDLE(Comm) :: world, cart, row, copy
    HANDLE(Datatype) :: pair, matched, types(2)
    HANDLE(Request) :: requests(2)
    HANDLE(Op) :: op
    HANDLE(Errhandler) :: handler
    HANDLE(Info) :: info
    HANDLE(Win) :: win
    HANDLE(File) :: file
    integer :: ierr, rank, ranks, provided, keyval, other, wrong, coords(1), dims(1), at, length
    integer :: one(1), two(2), four(4), counts(2), displs(2)
    integer(MPI_ADDRESS_KIND) :: extra, value, address, lower, extent
    integer(MPI_OFFSET_KIND) :: offset
    logical :: flag, periods(1), remain(1)
    character(len=16) :: text
    character(len=MPI_MAX_OBJECT_NAME) :: name

    wrong = 0
    call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierr)
    call check(provided >= MPI_THREAD_SINGLE, 1)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    call check(ranks == 2, 2)
    world = MPI_COMM_WORLD
    other = 1 - rank

    ! Attributes and error handlers reach no C function on some MPIs.
    extra = 0
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, ierr)
    value = 1234567890123_MPI_ADDRESS_KIND
    call MPI_Comm_set_attr(world, keyval, value, ierr)
    value = 0
    call MPI_Comm_get_attr(world, keyval, value, flag, ierr)
    call check(flag .and. value == 1234567890123_MPI_ADDRESS_KIND, 3)
    call MPI_Comm_delete_attr(world, keyval, ierr)
    call MPI_Comm_get_attr(world, keyval, value, flag, ierr)
    call check(.not. flag, 4)
    call MPI_Comm_free_keyval(keyval, ierr)
    call MPI_Comm_create_errhandler(failed, handler, ierr)
    call MPI_Comm_set_errhandler(world, handler, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, matched, ierr)
    call MPI_Type_get_extent(matched, lower, extent, ierr)
    call check(lower == 0 .and. extent == 8, 5)

    ! These ask for the size of the communicator on their own.
    counts = [1, 1]
    displs = [0, 1]
    one = 10 + rank
    call MPI_Allgatherv(one, 1, MPI_INTEGER, two, counts, displs, MPI_INTEGER, world, ierr)
    call check(all(two == [10, 11]), 6)
    two = [20 + rank, 30 + rank]
    call MPI_Alltoallv(two, counts, displs, MPI_INTEGER, four, counts, displs, MPI_INTEGER, world, ierr)
    call check(all(four(1:2) == merge([20, 21], [30, 31], rank == 0)), 7)
    types = MPI_INTEGER
    call MPI_Alltoallw(two, counts, 4 * displs, types, four, counts, 4 * displs, types, world, ierr)
    call check(all(four(1:2) == merge([20, 21], [30, 31], rank == 0)), 8)
    call MPI_Reduce_scatter(two, one, counts, MPI_INTEGER, MPI_SUM, world, ierr)
    call check(one(1) == merge(41, 61, rank == 0), 9)
    call MPI_Gatherv(one, 1, MPI_INTEGER, two, counts, displs, MPI_INTEGER, 0, world, ierr)
    call check(rank == 1 .or. all(two == [41, 61]), 10)

    ! In place, a callback, requests, statuses that are ignored.
    one = rank + 1
    call MPI_Op_create(add, .true., op, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, op, world, ierr)
    call check(one(1) == 3, 11)
    call MPI_Op_free(op, ierr)
    two = -1
    call MPI_Irecv(two, 1, MPI_INTEGER, other, 7, world, requests(1), ierr)
    one = 100 + rank
    call MPI_Isend(one, 1, MPI_INTEGER, other, 7, world, requests(2), ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
    call check(two(1) == 100 + other, 12)
    call MPI_Sendrecv(one, 1, MPI_INTEGER, other, 8, two, 1, MPI_INTEGER, other, 8, world, &
                      MPI_STATUS_IGNORE, ierr)
    call check(two(1) == 100 + other, 13)
    call MPI_Irecv(two, 1, MPI_INTEGER, other, 9, world, requests(1), ierr)
    call MPI_Send(one, 1, MPI_INTEGER, other, 9, world, ierr)
    call MPI_Waitany(1, requests, at, status, ierr)
    call check(at >= 0, 14)

    ! Topology, communicators, types.
    dims = 2
    periods = .true.
    call MPI_Cart_create(world, 1, dims, periods, .false., cart, ierr)
    coords = 1
    call MPI_Cart_rank(cart, coords, at, ierr)
    call check(at == 1, 15)
    remain = .true.
    call MPI_Cart_sub(cart, remain, row, ierr)
    call MPI_Comm_free(row, ierr)
    call MPI_Comm_free(cart, ierr)
    call MPI_Comm_split(world, 0, rank, copy, ierr)
    call MPI_Comm_set_name(copy, 'copy', ierr)
    call MPI_Comm_get_name(copy, name, length, ierr)
    call check(length == 4 .and. name == 'copy', 16)
    call MPI_Comm_free(copy, ierr)
    call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierr)
    call MPI_Type_commit(pair, ierr)
    two = rank
    call MPI_Bcast(two, 1, pair, 1, world, ierr)
    call check(all(two == 1), 17)
    call MPI_Type_free(pair, ierr)
    call MPI_Get_address(two, address, ierr)
    call check(address /= 0, 18)

    ! Info, one-sided, I/O.
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'key', 'word', ierr)
    call MPI_Info_get(info, 'key', 16, text, flag, ierr)
    call check(flag .and. text == 'word', 19)
    window = 0
    call MPI_Win_create(window, 8_MPI_ADDRESS_KIND, 4, info, world, win, ierr)
    call MPI_Info_free(info, ierr)
    call MPI_Win_fence(0, win, ierr)
    one = 5 + rank
    call MPI_Put(one, 1, MPI_INTEGER, other, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call check(ierr == MPI_SUCCESS, 20)
    call MPI_Win_free(win, ierr)
    call MPI_File_open(world, 'many.out', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, file, ierr)
    call check(ierr == MPI_SUCCESS, 21)
    offset = 4 * rank
    call MPI_File_write_at(file, offset, one, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    one = 0
    call MPI_File_read_at(file, offset, one, 1, MPI_INTEGER, status, ierr)
    call check(one(1) == 5 + rank, 22)
    call MPI_Get_count(status, MPI_INTEGER, at, ierr)
    call check(at == 1, 23)
    call MPI_File_close(file, ierr)

    call MPI_Pcontrol(1)
    call MPI_Barrier(world, ierr)
    call MPI_Finalize(ierr)
    call MPI_Finalized(flag, ierr)
    call check(flag, 24)
    if (wrong == 0) then
        print '(a,i2)', 'OK', rank
    else
        stop 1
    end if
contains
    subroutine check(good, number)
        logical, intent(in) :: good
        integer, intent(in) :: number
        if (.not. good) then
            print '(a,i3,a,i2)', 'WRONG: check', number, ' on rank', rank
            wrong = wrong + 1
        end if
    end subroutine
end program
