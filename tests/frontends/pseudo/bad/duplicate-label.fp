var x
thread P {
  L: x := 1
  L: x := 2
}
