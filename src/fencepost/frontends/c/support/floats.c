// Floating-point numbers as text: %f, %e and %g. The digits are those of the exact value, rounded once.
typedef unsigned long size_t;
#define NAMED(name) __asm__(name)

enum { WHOLE = 320, DIGITS = WHOLE + 1080, MINUS = 1, PLUS = 2, BLANK = 4, ZEROS = 8, SHARP = 16 };

struct output {
  char *buffer;
  size_t at, limit;
};

static void put(struct output *out, char c) {
  if (out->at < out->limit) out->buffer[out->at] = c;
  out->at++;
}

// A number in decimal digits; digit[WHOLE] is the first one behind the point, `first` and `end` enclose all others but 0.
struct decimal {
  char digit[DIGITS];
  int first, end;
};

// Times 2 to the power of `bits`, and divided by it.
static void scale_up(struct decimal *d, int bits) {
  unsigned carry = 0;
  for (int k = d->end; k-- > d->first;) {
    unsigned value = ((unsigned)d->digit[k] << bits) + carry;
    d->digit[k] = (char)(value % 10);
    carry = value / 10;
  }
  for (; carry; carry /= 10) d->digit[--d->first] = (char)(carry % 10);
}

static void scale_down(struct decimal *d, int bits) {
  unsigned rest = 0;
  for (int k = d->first; k < d->end || rest; k++) {
    unsigned value = 10 * rest + (k < d->end ? (unsigned)d->digit[k] : 0);
    d->digit[k] = (char)(value >> bits);
    rest = value & ((1U << bits) - 1);
    if (k >= d->end) d->end = k + 1;
  }
}

static void expand(struct decimal *d, size_t mantissa, int exponent) {
  d->first = WHOLE, d->end = WHOLE;
  for (; mantissa; mantissa /= 10) d->digit[--d->first] = (char)(mantissa % 10);
  for (int left = exponent; left > 0; left -= 24) scale_up(d, left < 24 ? left : 24);
  for (int left = -exponent; left > 0; left -= 24) scale_down(d, left < 24 ? left : 24);
  while (d->first < d->end && !d->digit[d->first]) d->first++;
}

static int digit(const struct decimal *d, int k) { return k < d->first || k >= d->end ? 0 : d->digit[k]; }

// Keeps the digits before place k; what is exactly in the middle goes to the even neighbour.
static void keep(struct decimal *d, int k) {
  if (k >= d->end) return;
  int up = digit(d, k) > 5;
  if (digit(d, k) == 5) {
    up = digit(d, k - 1) % 2;
    for (int j = k + 1; j < d->end; j++) up |= d->digit[j] != 0;
  }
  if (k < d->first) k = d->first = d->end = k < d->first && !up ? d->end : k;
  d->end = k;
  for (; up; k--) {
    if (k - 1 < d->first) d->first = k - 1, d->digit[k - 1] = 0;
    up = d->digit[k - 1] == 9;
    d->digit[k - 1] = (char)(up ? 0 : d->digit[k - 1] + 1);
    if (!up) break;
  }
  if (d->end < d->first) d->end = d->first;
}

static int length_of(int n) { return n > 99 || n < -99 ? 3 : 2; }

// The digits of a number, `precision` of them behind the point, with the point where there is something behind it.
static void put_fixed(struct output *out, const struct decimal *d, int precision, int sharp) {
  int k = d->first < WHOLE && d->first < d->end ? d->first : WHOLE - 1;
  for (; k < WHOLE; k++) put(out, (char)('0' + digit(d, k)));
  if (precision || sharp) put(out, '.');
  for (k = 0; k < precision; k++) put(out, (char)('0' + digit(d, WHOLE + k)));
}

static void put_scientific(struct output *out, const struct decimal *d, int precision, int sharp, char letter) {
  int none = d->first >= d->end, exponent = none ? 0 : WHOLE - 1 - d->first;
  put(out, (char)('0' + (none ? 0 : digit(d, d->first))));
  if (precision || sharp) put(out, '.');
  for (int k = 1; k <= precision; k++) put(out, (char)('0' + (none ? 0 : digit(d, d->first + k))));
  put(out, letter);
  put(out, exponent < 0 ? '-' : '+');
  int size = exponent < 0 ? -exponent : exponent;
  if (length_of(exponent) == 3) put(out, (char)('0' + size / 100));
  put(out, (char)('0' + size / 10 % 10));
  put(out, (char)('0' + size % 10));
}

static void put_word(struct output *out, const char *word, int upper) {
  for (; *word; word++) put(out, (char)(upper ? *word - 32 : *word));
}

// %g: as many digits as asked for, in the shorter of both forms, without zeros at the end.
static void put_general(struct output *out, struct decimal *d, int precision, int sharp, char letter) {
  if (!precision) precision = 1;
  if (d->first < d->end) keep(d, d->first + precision);
  while (d->first < d->end && !d->digit[d->first]) d->first++;
  int none = d->first >= d->end, exponent = none ? 0 : WHOLE - 1 - d->first;
  int used = d->end;
  while (!none && used > d->first + 1 && !d->digit[used - 1]) used--;
  if (exponent < -4 || exponent >= precision) {
    put_scientific(out, d, sharp ? precision - 1 : used - d->first - 1, sharp, letter);
    return;
  }
  int behind = none || used < WHOLE ? 0 : used - WHOLE;
  put_fixed(out, d, sharp ? precision - 1 - exponent : behind, sharp);
}

static void put_number(struct output *out, size_t bits, int kind, int precision, int flags) {
  int upper = kind < 'a', raw = (int)(bits >> 52 & 2047), small = upper ? kind + 32 : kind;
  size_t fraction = bits & ((1UL << 52) - 1);
  if (raw == 2047) {
    put_word(out, fraction ? "nan" : "inf", upper);
    return;
  }
  struct decimal d;
  expand(&d, raw ? fraction | 1UL << 52 : fraction, (raw ? raw : 1) - 1075);
  if (small == 'f') {
    keep(&d, WHOLE + precision);
    put_fixed(out, &d, precision, flags & SHARP);
  } else if (small == 'e') {
    if (d.first < d.end) keep(&d, d.first + precision + 1);
    put_scientific(out, &d, precision, flags & SHARP, upper ? 'E' : 'e');
  } else {
    put_general(out, &d, precision, flags & SHARP, upper ? 'E' : 'e');
  }
}

size_t format_double(char *buffer, size_t at, size_t limit, size_t bits, int kind, int precision, int width,
                     int flags) NAMED("fencepost_format_double");
size_t format_double(char *buffer, size_t at, size_t limit, size_t bits, int kind, int precision, int width,
                     int flags) {
  char sign = (char)(bits >> 63 ? '-' : flags & PLUS ? '+' : flags & BLANK ? ' ' : 0);
  struct output nowhere = {buffer, 0, 0}, out = {buffer, at, limit};
  put_number(&nowhere, bits, kind, precision, flags);
  int pad = width - (int)nowhere.at - (sign != 0), zeros = flags & ZEROS && (bits >> 52 & 2047) != 2047;
  if (!(flags & MINUS) && !zeros)
    for (; pad > 0; pad--) put(&out, ' ');
  if (sign) put(&out, sign);
  if (!(flags & MINUS))
    for (; pad > 0; pad--) put(&out, '0');
  put_number(&out, bits, kind, precision, flags);
  for (; pad > 0; pad--) put(&out, ' ');
  return out.at;
}
