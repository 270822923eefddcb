! A block of integers travels round a ring of ranks; every rank adds one to each of them.
!
!   ring [laps = 100] [integers = 256]
!
! What every rank calls, through mpi_f08:
!   MPI_Isend, MPI_Recv, MPI_Wait   laps each; to rank + 1, from rank - 1 (modulo the size), tag = lap
!   MPI_Allreduce                   1, of one integer
!   once each                       MPI_Init, MPI_Comm_rank, MPI_Comm_size, MPI_Finalize
! So every rank sends `laps` messages of 4 x integers bytes to the next one (one rank: to itself).
! After the last lap every integer has been raised `laps` times; the program says so or stops with 1.
program ring
    use mpi_f08
    implicit none
    integer :: laps, length, rank, size, lap, wrong, all_wrong
    integer, allocatable :: outgoing(:), incoming(:)
    type(MPI_Request) :: request
    type(MPI_Status) :: status

    laps = argument(1, 100)
    length = argument(2, 256)
    allocate(outgoing(length), incoming(length))
    outgoing = 0

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    do lap = 1, laps
        call MPI_Isend(outgoing, length, MPI_INTEGER, modulo(rank + 1, size), lap, MPI_COMM_WORLD, request)
        call MPI_Recv(incoming, length, MPI_INTEGER, modulo(rank - 1, size), lap, MPI_COMM_WORLD, status)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        outgoing = incoming + 1
    end do
    wrong = count(outgoing /= laps)
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) print '(a, i0, a, i0, a, i0, a, i0, a)', &
        'ring: ', size, ' ranks, ', laps, ' laps of ', length, ' integers, ', all_wrong, ' wrong'
    call MPI_Finalize()
    if (all_wrong /= 0) stop 1

contains

    integer function argument(position, default)
        integer, intent(in) :: position, default
        character(len=32) :: text
        argument = default
        if (command_argument_count() < position) return
        call get_command_argument(position, text)
        read (text, *) argument
    end function argument

end program ring
