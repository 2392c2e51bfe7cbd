"""A reader of LLVM's textual IR: the part of it that compilers of C, C++ and Rust write."""
