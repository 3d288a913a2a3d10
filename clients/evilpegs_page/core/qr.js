/**
 * QR codes by ISO/IEC 18004: a text as bytes, with error correction M, in the smallest of the versions 1 to 9 that holds
 * it. A code is a list of rows, each a text of `1` for dark and `0` for light, without the quiet zone of four modules.
 */

/** By version from 1: the bytes of error correction per block, those of data in each block, and where alignment patterns have their centers. */
const CHECKS = Object.freeze([10, 16, 26, 18, 24, 16, 18, 22, 22]);
const BLOCKS = Object.freeze([[16], [28], [44], [32, 32], [43, 43], [27, 27, 27, 27], [31, 31, 31, 31], [38, 38, 39, 39], [36, 36, 36, 37, 37]]);
const CENTERS = Object.freeze([[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46]]);
/** A mask inverts the data where it is 0. @type {readonly ((row: number, column: number) => number)[]} */
const MASKS = Object.freeze([
  (row, column) => (row + column) % 2,
  (row) => row % 2,
  (_, column) => column % 3,
  (row, column) => (row + column) % 3,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2,
  (row, column) => ((row * column) % 2) + ((row * column) % 3),
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2,
]);

/** Modules by row; null is free for data. @typedef {(number | null)[][]} Grid */

/** @param {string} text @returns {readonly string[]} no rows for a text of more than 180 bytes */
export function qrCode(text) {
  const bytes = [...new TextEncoder().encode(text)];
  // the mode and the length take 12 bits
  const version = 1 + BLOCKS.findIndex((sizes) => sum(sizes) >= bytes.length + 2);
  if (version === 0) return [];
  const grid = patterns(version);
  const free = zigzag(grid);
  const bits = codewords(bytes, version).flatMap((byte) => bitsOf(byte, 8));
  const codes = MASKS.map((mask, number) => {
    const masked = grid.map((row) => [...row]);
    free.forEach(([row, column], index) => (masked[row][column] = (bits[index] ?? 0) ^ Number(mask(row, column) === 0)));
    writeFormat(masked, number);
    return masked.map((row) => row.join(""));
  });
  return codes.reduce((best, code) => (penalty(code) < penalty(best) ? code : best));
}

/** @param {readonly string[]} code @returns {string} its dark modules for the `d` of an SVG path */
export function qrPath(code) {
  return code.flatMap((line, row) => [...line.matchAll(/1+/g)].map(({ index, 0: run }) => `M${index} ${row}h${run.length}v1h-${run.length}z`)).join("");
}

const sum = (/** @type {readonly number[]} */ numbers) => numbers.reduce((total, each) => total + each, 0);
/** The bits of a number, the highest first. @type {(number: number, count: number) => number[]} */
const bitsOf = (number, count) => Array.from({ length: count }, (_, index) => (number >> (count - 1 - index)) & 1);
/** The product modulo x⁸ + x⁴ + x³ + x² + 1, with coefficients of one bit. @type {(a: number, b: number) => number} */
const times = (a, b) => bitsOf(b, 8).reduce((product, bit) => (product << 1) ^ (product >> 7 ? 0x11d : 0) ^ (bit ? a : 0), 0);
/** A number with the bits that protect it: what is left after a division. @type {(number: number, divisor: number, degree: number) => number} */
const checked = (number, divisor, degree) =>
  (number << degree) | bitsOf(0, degree).reduce((rest) => (rest << 1) ^ ((rest >> (degree - 1)) & 1 ? divisor : 0), number);

/** Return the bytes of data, then of error correction, with the blocks interleaved. @param {readonly number[]} bytes @param {number} version */
function codewords(bytes, version) {
  const sizes = BLOCKS[version - 1];
  const halves = [4, bytes.length >> 4, bytes.length & 15, ...bytes.flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const data = halves.filter((_, index) => index % 2 === 0).map((half, index) => half * 16 + halves[2 * index + 1]);
  for (let pad = 0xec; data.length < sum(sizes); pad ^= 0xec ^ 0x11) data.push(pad);
  const blocks = sizes.map((size) => data.splice(0, size));
  return [blocks, blocks.map((block) => parity(block, CHECKS[version - 1]))].flatMap((each) =>
    each[each.length - 1].flatMap((_, place) => each.flatMap((block) => block.slice(place, place + 1))),
  );
}

/** Return what is left of the data after a division by (x - 1)(x - 2)(x - 4)…, the code of Reed and Solomon. @param {readonly number[]} data @param {number} count */
export function parity(data, count) {
  let divisor = [1];
  for (let index = 0, root = 1; index < count; index += 1, root = times(root, 2)) {
    divisor = [...divisor, 0].map((each, place) => each ^ times(divisor[place - 1] ?? 0, root));
  }
  const zeros = Array.from({ length: count }, () => 0);
  return data.reduce((rest, byte) => [...rest.slice(1), 0].map((each, place) => each ^ times(divisor[place + 1], byte ^ rest[0])), zeros);
}

/** Return a grid with what is the same for all texts, and some format in its place. @param {number} version */
function patterns(version) {
  const size = 17 + 4 * version;
  const grid = Array.from({ length: size }, () => /** @type {Grid[0]} */ (Array.from({ length: size }, () => null)));
  /** @param {number} top of the center @param {number} left @param {number} reach @param {number} light the ring within that is light */
  const square = (top, left, reach, light) =>
    grid.forEach((line, row) => line.forEach((_, column) => {
      const ring = Math.max(Math.abs(row - top), Math.abs(column - left));
      if (ring <= reach) line[column] = Number(ring !== light && ring < 4);
    }));
  for (const [top, left] of [[3, 3], [3, size - 4], [size - 4, 3]]) square(top, left, 4, 2);
  const centers = CENTERS[version - 1];
  for (const top of centers) for (const left of centers) if (grid[top][left] === null) square(top, left, 2, 1);
  for (let place = 8; place < size - 8; place += 1) grid[6][place] = grid[place][6] = 1 - (place % 2);
  for (let bit = 0, bits = checked(version, 0x1f25, 12); version >= 7 && bit < 18; bit += 1) {
    const [long, short] = [Math.floor(bit / 3), size - 11 + (bit % 3)];
    grid[long][short] = grid[short][long] = (bits >> bit) & 1;
  }
  writeFormat(grid, 0);
  return grid;
}

/** Write the level of error correction, which is 0 for M, and the mask, twice. @param {Grid} grid @param {number} mask */
function writeFormat(grid, mask) {
  const size = grid.length;
  bitsOf(checked(mask, 0x537, 10) ^ 0x5412, 15).reverse().forEach((bit, index) => {
    // around the finder at the top left, past the timing patterns; and beside the other two
    if (index < 8) grid[index < 6 ? index : index + 1][8] = grid[8][size - 1 - index] = bit;
    else grid[8][index === 8 ? 7 : 14 - index] = grid[size - 15 + index][8] = bit;
  });
  grid[size - 8][8] = 1;
}

/** Return the free places in the order of the data: up and down in pairs of columns, from the right. @param {Grid} grid */
function zigzag(grid) {
  const places = [...grid.keys()];
  // the timing pattern on the left is in no pair
  const columns = places.filter((column) => column !== 6).reverse();
  return columns.filter((_, index) => index % 2 === 0).flatMap((right, pair) =>
    (pair % 2 === 0 ? [...places].reverse() : places).flatMap((row) => [right, right - 1].filter((column) => grid[row][column] === null).map((column) => [row, column])),
  );
}

/** Return how hard a code is to read, by the four rules of the standard. @param {readonly string[]} code */
function penalty(code) {
  const lines = [...code, ...Array.from(code, (_, column) => code.map((row) => row[column]).join(""))];
  const runs = lines.flatMap((line) => [...line.matchAll(/0{5,}|1{5,}/g)].map(([run]) => run.length - 2));
  const finders = lines.flatMap((line) => [...line.matchAll(/(?=10111010000|00001011101)/g)]);
  const squares = code.slice(1).flatMap((row, above) => [...row].filter((_, column) => /^(0000|1111)$/.test(row.slice(column, column + 2) + code[above].slice(column, column + 2))));
  const dark = code.join("").replaceAll("0", "").length / code.length ** 2;
  return sum(runs) + 3 * squares.length + 40 * finders.length + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}
