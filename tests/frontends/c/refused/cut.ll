define i32 @main() {
entry:
  %x = load blub, ptr null
  ret i32 0
}
