var x
thread P {
  if x == 1
    x := 2
}
