! A barrier three known procedures deep, for the tool that asks for the stack. One rank.
module depths
    use mpi
    implicit none
contains
    recursive subroutine inner()
        integer :: ierror
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        if (ierror /= MPI_SUCCESS) call outer()
    end subroutine

    recursive subroutine outer()
        integer :: ierror
        call inner()
        call MPI_Comm_set_name(MPI_COMM_SELF, 'x', ierror)
    end subroutine
end module

program fortran_stack
    use depths
    integer :: ierror
    call MPI_Init(ierror)
    call outer()
    call MPI_Finalize(ierror)
    print '(a)', 'OK'
end program
