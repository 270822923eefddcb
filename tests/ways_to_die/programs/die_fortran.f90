! die_fortran WAY WHO FOLDER: as die.cpp, for the ends that Fortran has of its own. Every rank dies.
program die_fortran
    use mpi
    implicit none
    character(len=40) :: way
    integer :: rank, ranks, error, round, received
    integer, pointer :: nothing(:)
    call get_command_argument(1, way)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    do round = 1, 25
        call MPI_Sendrecv(round, 1, MPI_INTEGER, modulo(rank + 1, ranks), round, received, 1, MPI_INTEGER, &
                          modulo(rank - 1, ranks), round, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
    print '(a, i0, a, i0)', 'program: rank ', rank, ' of ', ranks
    flush (6)
    select case (way)
    case ('fortran-stop')
        stop 4
    case ('fortran-error-stop')
        error stop 5
    case ('fortran-segv')
        nullify (nothing)
        nothing(1) = 1
    case ('fortran-runtime-error')
        open (10, file='/does/not/exist', status='old')
    case ('fortran-end')
        call MPI_Finalize(error)
    end select
end program die_fortran
