var x
thread P {
  value := x
  x := vaule + 1
}
