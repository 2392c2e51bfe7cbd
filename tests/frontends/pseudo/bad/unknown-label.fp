var x
thread P {
  L: r := x
  if r == 0 goto M
}
