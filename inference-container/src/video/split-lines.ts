/** Splits text that comes in pieces into lines, without their ends; an unfinished last line is dropped. */
export async function* splitLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
