/* Prove by a search of its own that no strategy needs fewer guesses in all than a number.

       cc -O3 -march=native -o least_total examples/least_total.c
       ./least_total RULES TOTAL [FIRST...]

   RULES are as 5x6, at most 10,240 codes, and any code may be guessed. The guesses in all are those that find each
   code, the right one counted. For one first guess of each kind it prints that strategies which begin so need no fewer
   than TOTAL, and the status is 0; with FIRST, only for these. At the first of them after which fewer are enough it
   stops with status 1, and prints the least total with it and, on standard output, the tree. Others may need fewer
   still.

   The search is branch and bound. A part of k codes needs at least 2 k - 1 guesses. So if a guess leaves p parts of n
   codes, all-black not counted, they need at least n + 2 n - p with it, or two fewer if it is one of the codes. If no
   guess makes more than m parts, no more than m, m * m, ... codes are found by the next guesses, which says more of
   large parts. What is known of a set is kept under two sums of words of its codes, and guesses that split a set alike
   are known by one such sum. With 64 bits each, a run is most unlikely to confuse any two, but it could not notice. It
   takes at most 210 MB. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEGS = 6, COLORS = 10, PEG_ORDERS = 720, FEEDBACKS = 28, CODES = 10240, NEVER = 1 << 20, NONE = -1 };
enum { BLOCK = 1024, FIXED = 2 };

#ifndef SLOTS /* others do not change what is found */
#define SLOTS (1 << 21)
#define TRIED 512
#define LARGE 40
#endif

static const char SYMBOLS[] = "1234567890";

typedef struct {
    uint64_t key, check;
    int lower; /* bound of the least total; 0 if nothing is known */
    int16_t is_exact, guess; /* the guess found by a search, or NONE */
} Entry;

/* Permutations of pegs and colors that leave some codes as they are. Colors that none of these codes has may stand for
   each other, so they go to -1 here. */
typedef struct {
    int codes[FIXED], code_count, count, free_colors;
    struct {
        uint8_t from[PEGS]; /* the peg whose color moves here */
        int8_t to[COLORS];
    } symmetries[PEG_ORDERS];
    uint16_t *heads; /* the least image of each code, or NULL if not needed yet */
} Group;

/* The splits of a set that were tried. */
typedef struct {
    int count;
    uint64_t digests[TRIED];
} Tried;

static int pegs, colors, codes, all_black, peg_order_count;
static int feedbacks[FEEDBACKS][2]; /* the blacks and whites of each number; all-black is the last */
static int filled[FEEDBACKS][CODES + 1]; /* a lower bound, by the most parts of a guess and the number of codes */
static uint8_t digits[CODES][PEGS], numbers[PEGS + 1][PEGS + 1], peg_orders[PEG_ORDERS][PEGS];
static uint64_t words[CODES][2];
static Entry *table;

/* The part of a first guess that is searched. Its sets have the indices of its codes, and ``rows`` their feedbacks to
   those guesses that split the part differently, CODES apart. ``self`` is the guess that is the code. */
static int guesses;
static uint16_t code_of[CODES], guess_code[CODES], self[CODES];
static uint8_t *rows;

static int fail(const char *why) {
    fprintf(stderr, "least_total: %s\n", why);
    return 2;
}

static int min(int one, int other) { return one < other ? one : other; }
static int max(int one, int other) { return one > other ? one : other; }
static uint8_t *row_of(int index) { return rows + (size_t)index * CODES; }

static int feedback(int one, int other) {
    int black = 0, matches = 0, left[COLORS] = {0};
    for (int peg = 0; peg < pegs; peg++) {
        black += digits[one][peg] == digits[other][peg];
        left[digits[one][peg]]++;
    }
    for (int peg = 0; peg < pegs; peg++) matches += left[digits[other][peg]]-- > 0;
    return numbers[black][matches - black];
}

static uint64_t mix(uint64_t word) {
    word = (word ^ word >> 33) * 0xff51afd7ed558ccd;
    word = (word ^ word >> 33) * 0xc4ceb9fe1a85ec53;
    return word ^ word >> 33;
}

static Entry *entry_of(const uint16_t *set, int size) {
    uint64_t key = 0, check = 0;
    for (int i = 0; i < size; i++) {
        key += words[code_of[set[i]]][0];
        check += words[code_of[set[i]]][1];
    }
    Entry *entry = table + key % SLOTS + (size < LARGE ? 0 : SLOTS); /* so that small sets do not replace large ones */
    if (entry->key != key || entry->check != check) *entry = (Entry){key, check, 0, 0, NONE};
    return entry;
}

/* Return the group that leaves one more code as it is; it keeps no heads yet. */
static Group group_after(const Group *group, int code) {
    Group after = {.code_count = group->code_count};
    memcpy(after.codes, group->codes, sizeof after.codes);
    after.codes[after.code_count++] = code;
    for (int order = 0; order < peg_order_count; order++) {
        int8_t to[COLORS], from[COLORS];
        int is_symmetry = 1;
        memset(to, -1, sizeof to), memset(from, -1, sizeof from);
        for (int i = 0; i < after.code_count; i++)
            for (int peg = 0; peg < pegs; peg++) {
                int here = digits[after.codes[i]][peg], color = digits[after.codes[i]][peg_orders[order][peg]];
                is_symmetry &= (to[color] < 0 || to[color] == here) && (from[here] < 0 || from[here] == color);
                to[color] = (int8_t)here, from[here] = (int8_t)color;
            }
        if (!is_symmetry) continue;
        memcpy(after.symmetries[after.count].from, peg_orders[order], PEGS);
        memcpy(after.symmetries[after.count++].to, to, sizeof to);
        after.free_colors = 0;
        for (int color = 0; color < colors; color++) after.free_colors += to[color] < 0;
    }
    return after;
}

static const uint16_t *heads_of(Group *group) {
    if (!group || (group->count == 1 && group->free_colors < 2)) return NULL;
    if (group->heads) return group->heads;
    if (!(group->heads = malloc(CODES * sizeof *group->heads))) exit(fail("there is not enough memory"));
    for (int code = 0; code < codes; code++) {
        int head = codes;
        for (int i = 0; i < group->count; i++) {
            int8_t to[COLORS];
            int number = 0, free_color = 0;
            memcpy(to, group->symmetries[i].to, sizeof to);
            for (int peg = 0; peg < pegs; peg++) {
                int color = digits[code][group->symmetries[i].from[peg]];
                if (to[color] < 0) {
                    while (group->symmetries[i].to[free_color] >= 0) free_color++;
                    to[color] = (int8_t)free_color++;
                }
                number = number * colors + to[color];
            }
            head = min(head, number);
        }
        group->heads[code] = (uint16_t)head;
    }
    return group->heads;
}

static uint32_t bits_of(uint32_t word) { /* as compilers vectorize it */
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f;
    return word * 0x01010101 >> 24;
}

/* Bound the least total of a set by the parts of each guess. A guess gains its parts without all-black, and two more if
   it is a code of the set. Write these gains, and return the most parts. */
static int bound_by_parts(const uint16_t *set, int size, uint8_t *gains, Entry *entry) {
    uint8_t most = 0;
    for (int from = 0; from < guesses; from += BLOCK) {
        uint32_t seen[BLOCK] = {0};
        for (int i = 0; i < size; i++) {
            const uint8_t *row = row_of(set[i]) + from;
            for (int g = 0; g < BLOCK; g++) seen[g] |= (uint32_t)1 << row[g];
        }
        for (int g = 0; g < BLOCK; g++) gains[from + g] = (uint8_t)bits_of(seen[g]);
    }
    for (int i = 0; i < size; i++) gains[self[set[i]]] -= 1;
    for (int g = 0; g < guesses; g++) most = gains[g] > most ? gains[g] : most;
    int gain = most;
    for (int i = 0; i < size; i++) gain = max(gain, gains[self[set[i]]] += 2);
    entry->lower = max(entry->lower, max(3 * size - gain, filled[most][size]));
    /* nothing is left to find if no part has more than two codes, and one part at most has two */
    entry->is_exact = entry->lower == 3 * size - gain && (gain >= size || (most == gain && most == size - 1));
    return most;
}

/* A code of the set that splits off each other one needs 2 n - 1 guesses in all, which is the least of any set. If one
   pair is left it needs 2 n, the least if no code leaves none. */
static int bound_by_members(const uint16_t *set, int size, Entry *entry) {
    int fewest_pairs = 2;
    if (size > all_black) return 0;
    for (int i = 0; i < size && fewest_pairs; i++) {
        uint32_t seen = 0;
        for (int k = 0; k < size; k++) seen |= (uint32_t)1 << row_of(set[k])[self[set[i]]];
        fewest_pairs = min(fewest_pairs, size - __builtin_popcount(seen));
    }
    if (fewest_pairs < 2) entry->lower = 2 * size - 1 + fewest_pairs, entry->is_exact = 1;
    return entry->is_exact;
}

static Entry bounds_of(const uint16_t *set, int size) {
    uint8_t gains[CODES];
    Entry *kept = entry_of(set, size), entry = *kept;
    if (!entry.lower) {
        if (!bound_by_members(set, size, &entry)) bound_by_parts(set, size, gains, &entry);
        *kept = entry;
    }
    return entry;
}

static int least_total(const uint16_t *set, int size, int bound, Group *group);

/* A sum over the parts of a guess, all-black too, which another guess with the same parts shares. If one of them is a
   code of the set, it needs one guess fewer than the others, gains one more and so is listed before them. */
static uint64_t digest_of(const uint16_t *set, int size, int guess) {
    uint64_t sums[FEEDBACKS] = {0}, digest = 0;
    for (int i = 0; i < size; i++) sums[row_of(set[i])[guess]] += words[code_of[set[i]]][0];
    for (int number = 0; number <= all_black; number++)
        if (sums[number]) digest += mix(sums[number]);
    return digest;
}

/* Return the least total of a set with this guess first, or ``bound`` if it is not less. */
static int total_after(const uint16_t *set, int size, int guess, int bound, int most, Group *group, Tried *tried) {
    uint16_t ordered[CODES];
    int sizes[FEEDBACKS] = {0}, ends[FEEDBACKS], lowers[FEEDBACKS], open[FEEDBACKS], opened = 0, total = size;
    for (int i = 0; i < size; i++) sizes[row_of(set[i])[guess]]++;
    for (int part = 0, end = 0; part <= all_black; part++) {
        if (sizes[part] == size) return bound;
        ends[part] = end;
        end += sizes[part];
        lowers[part] = part < all_black ? filled[most][sizes[part]] : 0;
        total += lowers[part];
    }
    if (total >= bound) return bound;
    uint64_t digest = digest_of(set, size, guess);
    for (int k = 0; k < tried->count; k++)
        if (tried->digests[k] == digest) return bound;
    if (tried->count < TRIED) tried->digests[tried->count++] = digest;
    for (int i = 0; i < size; i++) ordered[ends[row_of(set[i])[guess]]++] = set[i];
    for (int part = 0; part < all_black; part++) {
        if (sizes[part] <= 2) continue;
        Entry entry = bounds_of(ordered + ends[part] - sizes[part], sizes[part]);
        int lower = max(entry.lower, lowers[part]);
        total += lower - lowers[part];
        lowers[part] = lower;
        if (total >= bound) return bound;
        if (!entry.is_exact) {
            int k = opened++;
            for (; k && sizes[open[k - 1]] > sizes[part]; k--) open[k] = open[k - 1];
            open[k] = part;
        }
    }
    if (!opened) return total;
    Group after = {0};
    if (group) after = group_after(group, guess_code[guess]);
    for (int k = 0; k < opened && total < bound; k++) {
        int part = open[k], allowed = lowers[part] + bound - total;
        total += least_total(ordered + ends[part] - sizes[part], sizes[part], allowed, group ? &after : NULL);
        total -= lowers[part];
    }
    free(after.heads);
    return min(total, bound);
}

/* List the guesses at a set, those that gain most first, and return the most parts. */
static int list_guesses(const uint16_t *set, int size, uint16_t *listed, uint8_t *gains) {
    int starts[FEEDBACKS + 2] = {0}, before = 0, most = bound_by_parts(set, size, gains, &(Entry){0});
    for (int g = 0; g < guesses; g++) starts[gains[g]]++;
    for (int gain = FEEDBACKS + 1; gain >= 0; gain--) {
        int count = starts[gain];
        starts[gain] = before;
        before += count;
    }
    for (int g = 0; g < guesses; g++) listed[starts[gains[g]]++] = (uint16_t)g;
    return most;
}

/* Return the least total of a set, or ``bound`` if it is not less. */
static int least_total(const uint16_t *set, int size, int bound, Group *group) {
    if (size <= 2) return min(bound, 2 * size - 1);
    Entry entry = bounds_of(set, size);
    if (entry.is_exact || entry.lower >= bound) return min(bound, entry.lower);
    uint8_t gains[CODES], is_tried[CODES];
    uint16_t listed[CODES];
    Tried tried;
    const uint16_t *heads = size < LARGE ? NULL : heads_of(group);
    int best = bound, found = NONE, most = list_guesses(set, size, listed, gains);
    tried.count = 0;
    /* the set is all codes with some feedbacks to the codes of the group, so each symmetry maps it to itself */
    if (heads) memset(is_tried, 0, sizeof is_tried);
    if (!heads || group->code_count == FIXED) group = NULL;
    for (int i = 0; i < guesses && 3 * size - gains[listed[i]] < best; i++) {
        int guess = listed[i];
        if (heads && is_tried[heads[guess_code[guess]]]) continue;
        if (heads) is_tried[heads[guess_code[guess]]] = 1;
        int total = total_after(set, size, guess, best, most, group, &tried);
        if (total < best) best = total, found = guess_code[guess];
    }
    Entry *kept = entry_of(set, size);
    *kept = (Entry){kept->key, kept->check, best, best < bound, (int16_t)found};
    return best;
}

static void print_code(FILE *file, int code, const char *end) {
    for (int peg = 0; peg < pegs; peg++) putc(SYMBOLS[digits[code][peg]], file);
    fputs(end, file);
}

/* Return the guess that is a code, or NONE. */
static int index_of(int code) {
    int guess = 0;
    while (guess < guesses && guess_code[guess] != code) guess++;
    return guess < guesses ? guess : NONE;
}

/* Print the tree of a set with its least total, from its first guess on. */
static void print_tree(const uint16_t *set, int size, int indent) {
    uint8_t gains[CODES];
    uint16_t listed[CODES], part[CODES];
    int guess = self[set[0]], found = NONE, total = least_total(set, size, NEVER, NULL);
    if (size > 2) found = index_of(entry_of(set, size)->guess);
    if (found != NONE) guess = found;
    else if (size > 2) {
        int most = list_guesses(set, size, listed, gains), i = 0;
        Tried tried = {0};
        while (i < guesses - 1 && total_after(set, size, listed[i], total + 1, most, NULL, &tried) > total) i++;
        guess = listed[i];
    }
    print_code(stdout, guess_code[guess], "\n");
    for (int number = 0; number < all_black; number++) {
        int count = 0;
        for (int i = 0; i < size; i++)
            if (row_of(set[i])[guess] == number) part[count++] = set[i];
        if (!count) continue;
        printf("%*s%d,%d ", indent, "", feedbacks[number][0], feedbacks[number][1]);
        print_tree(part, count, indent + 2);
    }
}

static void list_peg_orders(int peg, uint8_t *order) {
    if (peg == pegs) memcpy(peg_orders[peg_order_count++], order, PEGS);
    for (int i = peg; i < pegs; i++) {
        uint8_t moved = order[peg];
        order[peg] = order[i], order[i] = moved;
        list_peg_orders(peg + 1, order);
        order[i] = order[peg], order[peg] = moved;
    }
}

static int compare_words(const void *one, const void *other) {
    const uint64_t *a = one, *b = other;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Begin with the codes that give a feedback to a first guess, and return how many they are. */
static int begin_part(int first, int number, uint16_t *set) {
    static uint64_t digests[CODES][2];
    int size = 0;
    for (int code = 0; code < codes; code++)
        if (feedback(code, first) == number) {
            code_of[size] = (uint16_t)code;
            for (int guess = 0; guess < codes; guess++) row_of(size)[guess] = (uint8_t)feedback(code, guess);
            set[size] = (uint16_t)size;
            size++;
        }
    /* Of the guesses that split the part alike one is kept, a code of the part if there is one. Some best strategy for
       the part, or for a set of it, has only kept guesses: they split the set alike too, and a code of the set is
       better than another guess. So bounds from the parts of kept guesses hold for it. */
    for (int guess = 0; guess < codes; guess++) {
        digests[guess][0] = digest_of(set, size, guess);
        digests[guess][1] = (uint64_t)guess + (feedback(guess, first) == number ? 0 : CODES);
    }
    qsort(digests, (size_t)codes, sizeof *digests, compare_words);
    guesses = 0;
    for (int i = 0; i < codes; i++)
        if (digests[i][1] < CODES || !i || digests[i][0] != digests[i - 1][0])
            guess_code[guesses++] = (uint16_t)(digests[i][1] % CODES);
    for (int i = 0; i < size; i++)
        for (int g = 0; g < guesses; g++) row_of(i)[g] = (uint8_t)feedback(code_of[i], guess_code[g]);
    for (int g = 0; g < guesses; g++)
        for (int i = 0; i < size; i++)
            if (code_of[i] == guess_code[g]) self[i] = (uint16_t)g;
    return size;
}

/* Return the least total with a first guess, or ``bound`` if it is not less. */
static int total_with(int first, int bound) {
    static uint16_t set[CODES];
    int lowers[FEEDBACKS], sizes[FEEDBACKS], order[FEEDBACKS], parts = 0, total = codes;
    Group every_code = {0}, group = group_after(&every_code, first);
    for (int number = 0; number < all_black; number++) {
        int k = parts, size = begin_part(first, number, set);
        if (!size) continue;
        sizes[number] = size;
        total += lowers[number] = bounds_of(set, size).lower;
        for (; k && sizes[order[k - 1]] > size; k--) order[k] = order[k - 1];
        order[k] = number;
        parts++;
    }
    for (int k = 0; k < parts && total < bound; k++) {
        int number = order[k], size = begin_part(first, number, set);
        total += least_total(set, size, lowers[number] + bound - total, &group) - lowers[number];
    }
    free(group.heads);
    return min(total, bound);
}

static void print_tree_of(int first) {
    static uint16_t set[CODES];
    printf("evilpegs tree 1\nrules %dx%d\n", pegs, colors);
    print_code(stdout, first, "\n");
    for (int number = 0; number < all_black; number++) {
        int size = begin_part(first, number, set);
        if (!size) continue;
        printf("  %d,%d ", feedbacks[number][0], feedbacks[number][1]);
        print_tree(set, size, 4);
    }
}

static void prepare(void) {
    uint8_t order[PEGS] = {0, 1, 2, 3, 4, 5};
    for (int code = 0; code < codes; code++)
        for (int peg = pegs - 1, left = code; peg >= 0; peg--, left /= colors)
            digits[code][peg] = (uint8_t)(left % colors);
    all_black = -1;
    for (int black = 0; black <= pegs; black++)
        for (int white = 0; black + white <= pegs; white++) {
            if (black == pegs - 1 && white == 1) continue;
            numbers[black][white] = (uint8_t)++all_black;
            feedbacks[all_black][0] = black, feedbacks[all_black][1] = white;
        }
    for (int code = 0; code < codes; code++)
        for (int k = 0; k < 2; k++) words[code][k] = mix((uint64_t)(k * CODES + code) + 0xd1b54a32d192ed03);
    for (int most = 1; most < FEEDBACKS; most++)
        for (int size = 1, depth = 1, level = 1, left = 1; size <= codes; size++, left--) {
            if (!left) depth++, level = min(level * most, CODES), left = level;
            filled[most][size] = filled[most][size - 1] + depth;
        }
    list_peg_orders(0, order);
}

/* Return the number of a code, or -1. */
static int parse_code(const char *text) {
    int code = 0;
    for (int peg = 0; peg < pegs; peg++) {
        const char *symbol = text[peg] ? strchr(SYMBOLS, text[peg]) : NULL;
        if (!symbol || symbol - SYMBOLS >= colors) return -1;
        code = code * colors + (int)(symbol - SYMBOLS);
    }
    return text[pegs] ? -1 : code;
}

/* Is a code the first of its kind: its colors in order, those of most pegs first? */
static int is_first_of_kind(int code) {
    int runs[COLORS] = {0}, last = 0;
    for (int peg = 0; peg < pegs; peg++) {
        int color = digits[code][peg];
        if (color != last && color != last + 1) return 0;
        runs[last = color]++;
    }
    for (int color = 1; color <= last; color++)
        if (runs[color] > runs[color - 1]) return 0;
    return runs[0] > 0;
}

int main(int count, char **args) {
    static int firsts[CODES];
    int total, first_count = 0;
    char rest;
    if (count < 3 || sscanf(args[1], "%dx%d%c", &pegs, &colors, &rest) != 2 ||
        sscanf(args[2], "%d%c", &total, &rest) != 1)
        return fail("use it as least_total RULES TOTAL [FIRST...], for example least_total 4x6 5625");
    codes = pegs < 2 || pegs > PEGS || colors < 2 || colors > COLORS ? NEVER : 1;
    for (int peg = 0; peg < pegs && codes <= CODES; peg++) codes *= colors;
    if (codes > CODES)
        return fail("rules have 2 to 6 pegs and 2 to 10 colors, and at most 10,240 codes");
    if (total < 1 || total >= NEVER) return fail("the total is from 1 to a million");
    if (count - 3 > CODES) return fail("there are more first guesses than codes");
    table = calloc(2 * SLOTS, sizeof *table);
    rows = calloc((size_t)codes, CODES);
    if (!table || !rows) return fail("there is not enough memory");
    prepare();
    for (int i = 3; i < count; i++)
        if ((firsts[first_count++] = parse_code(args[i])) < 0) return fail("a first guess is no code of these rules");
    for (int code = 0; code < codes && count == 3; code++)
        if (is_first_of_kind(code)) firsts[first_count++] = code;
    for (int i = 0; i < first_count; i++) {
        int found = total_with(firsts[i], total);
        print_code(stderr, firsts[i], ": ");
        if (found < total) {
            fprintf(stderr, "%d guesses, fewer than %d\n", found, total);
            print_tree_of(firsts[i]);
            return fflush(stdout) || ferror(stdout) ? fail("the tree cannot be written") : 1;
        }
        fprintf(stderr, "no fewer than %d guesses\n", total);
    }
    return 0;
}
