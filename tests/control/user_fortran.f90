! The same from Fortran (user_test.py): region "solve" around two regions "step" around one barrier each,
! marks, counters, a message to the other rank and one from it.
program user_fortran
    use mpi
    use comshu
    implicit none
    integer :: rank, ierror, i
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call comshu_region_begin('solve')
    do i = 1, 2
        call comshu_region_begin('step   ')
        call comshu_mark('iteration', real(i))
        call comshu_mark('here')
        call comshu_mark('whole', i)
        call comshu_mark('long', 2_8 ** 40 + i)
        call comshu_mark('double', i + 0.25d0)
        call comshu_counter('residual', 1.0d0 / i)
        call comshu_counter('points', 100 * i)
        call comshu_counter('bytes', 2_8 ** 40 * i)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call comshu_region_end('step')
    end do
    call comshu_region_end('solve')
    call comshu_message_sent('tube', 1 - rank, 1, 64)
    call comshu_message_received('tube', 1 - rank, 1, 64_8)
    call comshu_pause()
    call comshu_mark('not seen')
    call comshu_resume()
    call comshu_flush()
    call MPI_Finalize(ierror)
end program user_fortran
