// fencepost: model=rc11 expect=pass
// Message passing, repaired: the flag releases the data, and reading it acquires them.
var data, flag

thread writer {
  data := 42
  flag.rel := 1
}

thread reader {
  f := flag.acq
  if f == 1 {
    d := data
    assert(d == 42, "the message is there")
  }
}
