! REQUIRES: flang
! Fortran, as flang 19 compiles it, whose host versions are not those of clang: nothing is decided, whatever the level of optimisation, and programs
! do what they do without the plugin.
! RUN: env IPDA_GPU=h200 IPDA_TRANSFORM=on %flang -O0 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu %load -c %s -o %t.0.o
! RUN: %ipda show %t.0.o | %FileCheck %s --implicit-check-not="may run on the host"
! RUN: env IPDA_GPU=h200 IPDA_TRANSFORM=on %flang -O2 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu %load -c %s -o %t.2.o
! RUN: %ipda show %t.2.o | %FileCheck %s --implicit-check-not="may run on the host"
! CHECK: region add_ at
! CHECK: stays on the device
! CHECK: region _QQmain at
! CHECK: stays on the device
! RUN: %if cuda %{ env CUDA_PATH=%cuda-path IPDA_TRANSFORM=on %flang -O2 -fopenmp --offload-arch=sm_75 %load %s -o %t -Wl,-rpath,%llvm-lib %}
! RUN: %if cuda %{ env CUDA_VISIBLE_DEVICES= IPDA_OFFLOAD=never IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=PRINTED --implicit-check-not=ipda %}
! PRINTED: 10. 6.
subroutine add(n, x, a)
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: x(n)
  real, intent(in) :: a
  integer :: i
  !$omp target parallel do map(tofrom: x)
  do i = 1, n
    x(i) = x(i) + a
  end do
end subroutine

program main
  implicit none
  real :: x(1000)
  integer :: i
  x = 1
  call add(1000, x, 2.0)
  call add(10, x, 2.0)
  !$omp target map(tofrom: x)
  do i = 1, 1000
    x(i) = x(i) * 2
  end do
  !$omp end target
  print *, x(1), x(1000)
end program
