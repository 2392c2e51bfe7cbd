var x
thread P {
  x := 1
