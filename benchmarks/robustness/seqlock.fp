// A sequence lock (Boehm 2012): two writers exclude each other by an odd sequence number; two readers try again until
// the number is even and the same before and after. Two rounds per writer keep the number finite.
var sequence, left, right

thread W(i in 1..2) {
  for round in 1..2 {
    again: s := sequence
    if s % 2 == 1 goto again
    old := CAS(sequence, s, s + 1)
    if old != s goto again
    left := i
    right := i
    sequence := s + 2
  }
}

thread R(i in 1..2) {
  again: before := sequence
  if before % 2 == 1 goto again
  l := left
  r := right
  after := sequence
  if after != before goto again
  assert(l == r)
}
