! count: perf before_parallel 4
! count: perf parallel_event 3*T+2
! count: perf parallel_event_end 3*T+2
! count: perf master_begin 3
! count: perf master_end 3
! count: perf before_barrier 0
! count: d2 parallel_event_end 3*T+2
! count: d2 master_end 3
! count: d3 master_end 3
! A variable, a critical section and a flush have the name of the directive.
      program pm
      integer master, n, k
      master = 1
      n = 0
!$omp parallel master shared(n) if(master .gt. 0)
      n = n + master
!$omp end parallel master
      k = 4
!$omp parallel master firstprivate(master) num_threads(k / 2)           &
!$omp& default(none) shared(n)
      master = master + 1
      n = n + master
!$omp end parallel master
!$omp parallel reduction(max:master)
!$omp critical (master)
      master = 3
!$omp end critical (master)
!$omp flush (master)
!$omp end parallel
!$OMP PARALLEL MASTER PRIVATE(MASTER)
      master = 5
      n = n + master
!$OMP END PARALLEL MASTER
      print *, n, master
      end
