/* Are three more guesses enough? The slow part of check_bounds.py, in C.

       cc -O3 -march=native -shared -fPIC -o three_guesses.so examples/three_guesses.c
       python examples/check_bounds.py FILE ./three_guesses.so

   Every guess is tried. Nearly each leaves too many secrets behind one of the frequent feedbacks. So these are counted
   first, in some of the secrets and for a vector of guesses at a time. The vector types are those of GCC and Clang, for
   any processor. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __AVX2__
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif
enum { STRIP = 512, PITCH = STRIP + 64, COMMON = 6, COUNTED = 160 /* no more than a byte counts */ };

typedef uint8_t Vector __attribute__((vector_size(VECTOR)));

typedef struct {
    const uint8_t *table; /* the feedback of every two codes; the order of the two does not matter */
    const int32_t *secrets;
    int codes;
    int all_black; /* the feedback that ends the game, the largest number */
    int most;      /* two guesses are never enough for more secrets */
} Game;

static const uint8_t *feedbacks_of(const Game *game, int index) {
    return game->table + (size_t)game->secrets[index] * game->codes;
}

/* Two are, if some guess gets another feedback from each secret. */
static int two_are_enough(const Game *game, const int32_t *part, int size) {
    const uint8_t *given[64];
    if (size <= 2) return 1;
    for (int i = 0; i < size; i++) given[i] = feedbacks_of(game, part[i]);
    for (int guess = 0; guess < game->codes; guess++) {
        uint64_t seen = 0, bit = 0;
        int count = 0;
        for (; count < size; count++, seen |= bit)
            if (seen & (bit = (uint64_t)1 << given[count][guess])) break;
        if (count == size) return 1;
    }
    return 0;
}

/* Three are, if two are for each part that a guess leaves; ``given`` has its feedbacks, PITCH apart. */
static int is_good_guess(const Game *game, const uint8_t *given, const int32_t *part, int size) {
    int sizes[64] = {0};
    for (int i = 0; i < size; i++) {
        int count = ++sizes[given[part[i] * PITCH]];
        if (count > game->most || count == size) return 0;
    }
    for (int feedback = 0; feedback < game->all_black; feedback++) {
        int32_t left[64];
        int count = 0;
        if (sizes[feedback] <= 2) continue;
        for (int i = 0; i < size; i++)
            if (given[part[i] * PITCH] == feedback) left[count++] = part[i];
        if (!two_are_enough(game, left, count)) return 0;
    }
    return 1;
}

/* The most frequent feedbacks in a sample of pairs. */
static void find_common(const Game *game, const int32_t *part, int size, uint8_t common[COMMON]) {
    int64_t counts[64] = {0};
    for (int i = 0; i < size; i += 1 + size / 16)
        for (int guess = 0; guess < game->codes; guess += 1 + game->codes / 256)
            counts[feedbacks_of(game, part[i])[guess]]++;
    for (int rank = 0; rank < COMMON; rank++) {
        int best = 0;
        for (int feedback = 1; feedback < 64; feedback++)
            if (counts[feedback] > counts[best]) best = feedback;
        common[rank] = (uint8_t)best;
        counts[best] = -1;
    }
}

/* Return 1 if some of the ``wide`` guesses of a strip is good for a part. */
static int has_good_guess(
    const Game *game, const uint8_t *strip, int wide, const int32_t *part, int size, const uint8_t common[COMMON]) {
    const int counted = size < COUNTED ? size : COUNTED;
    for (int at = 0; at < wide; at += VECTOR) {
        Vector counts[COMMON] = {0}, crowded = {0};
        for (int i = 0; i < counted; i++) {
            Vector given;
            memcpy(&given, strip + part[i * size / counted] * PITCH + at, VECTOR);
            for (int rank = 0; rank < COMMON; rank++) counts[rank] -= (Vector)(given == common[rank]);
        }
        for (int rank = 0; rank < COMMON; rank++) crowded |= (Vector)(counts[rank] > (uint8_t)game->most);
        for (int lane = 0; lane < VECTOR && at + lane < wide; lane++)
            if (!crowded[lane] && is_good_guess(game, strip + at + lane, part, size)) return 1;
    }
    return 0;
}

/* Write to ``enough`` 1 for each part of some secrets for which three guesses are enough, 0 for the others.

   Part i has the secrets with the indices ``members[starts[i]]`` to before ``members[starts[i + 1]]``. Return 0, or -1
   for rules of more than seven pegs or without memory. */
int are_three_enough(
    const uint8_t *table, int codes, int all_black, int most, const int32_t *secrets, int size, const int32_t *members,
    const int32_t *starts, int parts, uint8_t *enough) {
    const Game game = {table, secrets, codes, all_black, most};
    uint8_t *strip, (*common)[COMMON];
    if (all_black > 63 || most > 63 || size > INT32_MAX / PITCH) return -1;
    strip = malloc((size_t)size * PITCH);
    common = malloc((size_t)parts * COMMON);
    if (strip && common) {
        for (int i = 0; i < parts; i++) {
            int count = starts[i + 1] - starts[i];
            enough[i] = count <= 2;
            find_common(&game, members + starts[i], count, common[i]);
        }
        for (int first = 0; first < codes; first += STRIP) {
            int wide = codes - first < STRIP ? codes - first : STRIP;
            for (int i = 0; i < size; i++) memcpy(strip + i * PITCH, feedbacks_of(&game, i) + first, (size_t)wide);
            for (int i = 0; i < parts; i++) {
                const int32_t *part = members + starts[i];
                if (!enough[i])
                    enough[i] = (uint8_t)has_good_guess(&game, strip, wide, part, starts[i + 1] - starts[i], common[i]);
            }
        }
    }
    free(strip);
    free(common);
    return strip && common ? 0 : -1;
}
