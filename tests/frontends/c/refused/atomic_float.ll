@x = global float 0.0
define i32 @main() {
entry:
  %old = atomicrmw fmax ptr @x, float 1.0 seq_cst
  ret i32 0
}
