// The tables behind <ctype.h> of glibc, in the C locale: for -128 to 255, as its macros look them up.
#define NAMED(name) __asm__(name)

#define UPPER(c) ((c) >= 'A' && (c) <= 'Z')
#define LOWER(c) ((c) >= 'a' && (c) <= 'z')
#define DIGIT(c) ((c) >= '0' && (c) <= '9')
#define HEX(c) (DIGIT(c) || ((c) >= 'A' && (c) <= 'F') || ((c) >= 'a' && (c) <= 'f'))
#define ALPHA(c) (UPPER(c) || LOWER(c))
#define SPACE(c) ((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))
#define GRAPH(c) ((c) > ' ' && (c) < 127)
#define CONTROL(c) (((c) >= 0 && (c) < ' ') || (c) == 127)

// One bit for each class, as <ctype.h> numbers them on a little-endian machine.
#define CLASSES(c)                                                                                                     \
  (UPPER(c) << 8 | LOWER(c) << 9 | ALPHA(c) << 10 | DIGIT(c) << 11 | HEX(c) << 12 | SPACE(c) << 13 |                    \
   (GRAPH(c) || (c) == ' ') << 14 | GRAPH(c) << 15 | ((c) == ' ' || (c) == '\t') | CONTROL(c) << 1 |                   \
   (GRAPH(c) && !ALPHA(c) && !DIGIT(c)) << 2 | (ALPHA(c) || DIGIT(c)) << 3)
// A negative character, but for EOF, is taken as the byte that it is.
#define TO_LOWER(c) ((c) + ((c) < -1 ? 256 : UPPER(c) ? 32 : 0))
#define TO_UPPER(c) ((c) + ((c) < -1 ? 256 : LOWER(c) ? -32 : 0))

#define FOUR(f, c) f((c)), f((c) + 1), f((c) + 2), f((c) + 3)
#define SIXTEEN(f, c) FOUR(f, c), FOUR(f, (c) + 4), FOUR(f, (c) + 8), FOUR(f, (c) + 12)
#define PART(f, c) SIXTEEN(f, c), SIXTEEN(f, (c) + 16), SIXTEEN(f, (c) + 32), SIXTEEN(f, (c) + 48)
#define ALL(f) PART(f, -128), PART(f, -64), PART(f, 0), PART(f, 64), PART(f, 128), PART(f, 192)

static const unsigned short classes[384] = {ALL(CLASSES)}, *class_of = classes + 128;
static const int lower[384] = {ALL(TO_LOWER)}, *lower_of = lower + 128;
static const int upper[384] = {ALL(TO_UPPER)}, *upper_of = upper + 128;

const unsigned short **find_classes(void) NAMED("__ctype_b_loc");
const unsigned short **find_classes(void) { return &class_of; }

const int **find_lower(void) NAMED("__ctype_tolower_loc");
const int **find_lower(void) { return &lower_of; }

const int **find_upper(void) NAMED("__ctype_toupper_loc");
const int **find_upper(void) { return &upper_of; }
