c     Comment and blank cards inside a continued directive, old sentinels.
      program cards
      integer i, j
C$OMP PARALLEL DO PRIVATE(j)
* a comment card inside a continued directive

c$omp+ schedule(static)
c$omp1 num_threads(2)
      do i = 1, 4
        j = i
      end do
      print *, 'done'
      end
