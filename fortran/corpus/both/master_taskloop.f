! count: perf before_parallel 7
! count: perf parallel_event 6*T+2
! count: perf parallel_event_end 6*T+2
! count: perf master_begin 10
! count: perf master_end 10
! count: perf before_taskloop 9
! count: perf after_taskloop 9
! count: d2 before_taskloop 9
! count: d2 omp_iter 0
! count: d2 master_end 10
! count: d3 before_taskloop 9
      program mt
      integer i, n, s, x, a(20), b(20)
      n = 20
      s = 0
      x = 1
      b = 2
!$omp parallel
!$omp master taskloop grainsize(3) shared(a)
      do i = 1, n
        a(i) = i
      end do
!$omp end master taskloop
!$omp barrier
!$omp masked taskloop simd simdlen(4)
      do i = 1, 20
        a(i) = a(i) + 1
      end do
!$omp end masked taskloop simd
!$omp barrier
!$omp master taskloop simd nogroup
      do i = 1, 20
        b(i) = b(i) + 1
      end do
!$omp end master taskloop simd
!$omp masked taskloop num_tasks(2)
      do i = 1, 10
        a(i) = a(i) + b(1) - b(1)
      enddo
!$omp end masked taskloop
!$omp end parallel
!$omp parallel master taskloop reduction(+:s) num_threads(2)            &
!$omp& default(none) shared(a, n) firstprivate(x) if(n .gt. 1)
      do i = 1, n
        s = s + a(i) + x
      end do
!$omp end parallel master taskloop
      print *, s, a(1), b(20)
!$omp parallel master taskloop simd reduction(+:s)
      do i = 1, 20
        s = s + b(i)
      end do
!$omp end parallel master taskloop simd
!$omp parallel masked taskloop collapse(2) private(x) shared(b)
      do i = 1, 4
        do j = 1, 5
          x = 5 * (i - 1) + j
          b(x) = b(x) + i
        end do
      end do
!$omp parallel masked taskloop simd untied shared(b)
      do 10 i = 1, 20
        b(i) = b(i) + 1
10    continue
!$omp parallel master taskloop untied shared(a) lastprivate(x)
      do i = 1, 20
        x = i
        a(i) = 0
      end do
!$omp end parallel master taskloop
!$omp parallel masked
      n = n + 1
!$omp end parallel masked
      print *, s, n, x, sum(a), sum(b)
      end
