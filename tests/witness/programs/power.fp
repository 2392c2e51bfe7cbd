// message passing: the writer has its fence, the reader trusts the order of its loads
var data, flag

thread P0 {
  data := 1
  lwsync
  flag := 1
}

thread P1 {
  r1 := flag
  r2 := data
  assert(r1 != 1 || r2 == 1)
}
