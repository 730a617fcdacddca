/* Finds a word in texts in any case of its ASCII letters, sixteen places at a time. */

#include <stdint.h>
#include <string.h>

#define PLACES 16

typedef uint8_t Bytes16 __attribute__((vector_size(PLACES)));
typedef uint64_t Halves __attribute__((vector_size(PLACES)));

typedef struct {
    const uint8_t* letters;  /* in lower case */
    const uint8_t* cases;    /* the bit in which the two cases of a letter differ; 0 for what is no letter */
    int64_t length;
    int64_t rare, second;    /* places of the two letters that texts have least often */
    int has_odd;             /* whether a k or an s is in it */
} Word;

/* The two letters and their cases, sixteen times each. */
typedef struct {
    Bytes16 rare, rare_case, second, second_case;
} Letters;

static inline Bytes16 repeat(uint8_t byte) {
    Bytes16 all;
    memset(&all, byte, PLACES);
    return all;
}

static inline Letters spread_letters(const Word* word) {
    Letters letters = {repeat(word->letters[word->rare]), repeat(word->cases[word->rare]),
                       repeat(word->letters[word->second]), repeat(word->cases[word->second])};
    return letters;
}

static inline int is_word(const uint8_t* text, const Word* word) {
    for (int64_t at = 0; at < word->length; at++)
        if ((text[at] | word->cases[at]) != word->letters[at]) return 0;
    return 1;
}

/* Whether the word begins at one of eight places; `found` has a byte for each that says whether it may. */
static inline int is_at_one(const uint8_t* text, uint64_t found, const Word* word) {
    while (found) {
        int bit = __builtin_ctzll(found);
        if (is_word(text + (bit >> 3), word)) return 1;
        found &= ~(0xFFULL << bit);
    }
    return 0;
}

/* Whether the word begins at one of the sixteen places from `text` on, all of which leave room for it. */
static inline int is_near(const uint8_t* text, const Word* word, const Letters* letters) {
    Bytes16 one, other;
    Halves found;
    memcpy(&one, text + word->rare, PLACES);
    memcpy(&other, text + word->second, PLACES);
    found = (Halves)(((one | letters->rare_case) == letters->rare) & ((other | letters->second_case) == letters->second));
    if (!(found[0] | found[1])) return 0;
    return is_at_one(text, found[0], word) || is_at_one(text + PLACES / 2, found[1], word);
}

/* Whether a text contains the word, which has at least one letter. */
static inline int contains_word(const uint8_t* text, int64_t length, const Word* word, const Letters* letters) {
    const int64_t places = length - word->length + 1;
    int64_t at = 0;
    if (places < PLACES) {
        for (; at < places; at++)
            if (is_word(text + at, word)) return 1;
        return 0;
    }
    for (; at <= places - PLACES; at += PLACES)
        if (is_near(text + at, word, letters)) return 1;
    /* The last sixteen overlap with those before. */
    return at < places && is_near(text + places - PLACES, word, letters);
}

static inline int is_ascii(const uint8_t* text, int64_t length) {
    Halves bits = {0, 0}, part = {0, 0};
    for (int64_t at = 0; at + PLACES <= length; at += PLACES) {
        memcpy(&part, text + at, PLACES);
        bits |= part;
    }
    /* The last sixteen overlap with those before; a shorter text leaves zeros behind it. */
    if (length >= PLACES) memcpy(&part, text + length - PLACES, PLACES);
    else memcpy(&part, text, length);
    bits |= part;
    return !((bits[0] | bits[1]) & 0x8080808080808080ULL);
}

/* Whether a text has the Kelvin sign or the long s, which are a k and an s in another case. */
static inline int has_odd_case(const uint8_t* text, int64_t length) {
    if (is_ascii(text, length)) return 0;
    for (int64_t at = 0; at + 1 < length; at++) {
        if (text[at] == 0xC5 && text[at + 1] == 0xBF) return 1;
        if (text[at] == 0xE2 && text[at + 1] == 0x84 && at + 2 < length && text[at + 2] == 0xAA) return 1;
    }
    return 0;
}
