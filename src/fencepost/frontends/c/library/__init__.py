"""What the functions of the C and C++ libraries do, one file per header or family. Each file has a table FUNCTIONS from
linked names to handlers; a handler emits instructions and returns the result."""
