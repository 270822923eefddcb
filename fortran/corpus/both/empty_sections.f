! count: perf section_event 5
! An empty section stays one: by the last of all LASTPRIVATE is what it is.
      program empty_sections
      implicit none
      integer :: x
      x = 5
!$omp parallel sections lastprivate(x)
!$omp section
      x = 1
!$omp section
!$omp end parallel sections
      print *, x
!$omp parallel sections lastprivate(x)
      x = 7
!$omp section
      x = 2
!$omp section
!$omp end parallel sections
      print *, x
!$omp parallel
!$omp sections lastprivate(x)
!$omp section
      x = 4
!$omp section
      x = 3
!$omp end sections
!$omp end parallel
      print *, x
      end program empty_sections
