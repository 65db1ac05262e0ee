! SPDX-License-Identifier: GPL-3.0-or-later
! Arrays, a loop nest, a function of an array.
program kinds
  implicit none
  integer, parameter :: n = 40
  real(8) :: a(n, n), b(n, n), c(n, n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      a(i, j) = 1d0 / (i + j)
      b(i, j) = mod(i * j, 7)
    end do
  end do
  c = matmul(a, b) + transpose(a)
  if (trace_of(c) < 0d0) stop 1
contains
  pure real(8) function trace_of(m)
    real(8), intent(in) :: m(:, :)
    integer :: k
    trace_of = 0d0
    do k = 1, size(m, 1)
      trace_of = trace_of + m(k, k)
    end do
  end function
end program
