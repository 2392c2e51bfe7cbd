// Independent reads of independent writes (Example 3.3): release/acquire is not multi-copy atomic, TSO is.
var x, y

thread write_x { x := 1 }

thread read_xy {
  a := x
  b := y
}

thread read_yx {
  c := y
  d := x
}

thread write_y { y := 1 }
