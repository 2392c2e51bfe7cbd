define i32 @main() {
entry:
  %v = bitcast i64 7 to <2 x i32>
  ret i32 0
}
