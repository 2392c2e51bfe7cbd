// fencepost: model=rc11 expect=fail
// Message passing, broken: the flag may arrive before the data.
var data, flag

thread writer {
  data := 42
  flag := 1
}

thread reader {
  f := flag
  if f == 1 {
    d := data
    assert(d == 42, "the message is there")
  }
}
