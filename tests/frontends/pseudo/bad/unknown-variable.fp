var flag
thread P {
  flga.rel := 1
}
