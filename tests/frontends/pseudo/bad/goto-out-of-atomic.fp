var x
thread P {
  L: skip
  atomic { x := 1; goto L }
}
