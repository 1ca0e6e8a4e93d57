/** Unpacks the words of Label Studio's brush, by the published description of `@thi.ng/rle-pack`: RGBA of each pixel. */
export function wordsOf(bytes: readonly number[]): number[] {
  let at = 0;
  const read = (bits: number): number => {
    let value = 0;
    for (let i = 0; i < bits; i++, at++) value = value * 2 + (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    return value;
  };
  const total = read(32);
  const wordBits = read(5) + 1;
  const lengthBits = [read(4) + 1, read(4) + 1, read(4) + 1, read(4) + 1];
  const words: number[] = [];
  while (words.length < total) {
    const isRepeated = read(1) === 1;
    const length = read(lengthBits[read(2)] ?? 0) + 1;
    const word = isRepeated ? read(wordBits) : 0;
    for (let i = 0; i < length; i++) words.push(isRepeated ? word : read(wordBits));
  }
  return words;
}
