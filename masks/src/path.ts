/** The point where an outline crosses the side of a pixel: x and y in pixels, from the picture's upper left corner. */
export interface Passage {
  readonly x: number;
  readonly y: number;
  /** True if the outline crosses the side upward or downward. */
  readonly upright: boolean;
}

/**
 * The largest distance of a line from its passage, along the way from one pixel's center to the other's. The centers
 * are at least 0.45 pixels away. So a line that passes the same sides in the same order keeps the same centers on
 * either hand: two sides in a row belong to one square of four centers, and a line through both stays inside it. The
 * rest is room for programs that round coordinates to fractions of a pixel.
 */
const REACH = 0.3;
/** The most passages left out in a row: it keeps the work linear in the length of a path. */
const MOST_LEFT_OUT = 64;

/** A closed path along the sides of pixels, with no more points than it takes to keep their centers apart. */
export class Path {
  readonly #passages: Passage[] = [];
  /** The indices of the passages that stay. */
  readonly #fixed: number[] = [];

  /** Adds a passage. The first one has to be fixed. @param isFixed keeps the passage */
  add(passage: Passage, isFixed = false): void {
    const passages = this.#passages;
    const [last, beforeLast] = [passages.at(-1), passages.at(-2)];
    const goesOn = last?.x === passage.x && beforeLast?.x === passage.x;
    if (goesOn && this.#fixed.at(-1) !== passages.length - 1) passages.pop();
    passages.push(passage);
    if (isFixed) this.#fixed.push(passages.length - 1);
  }

  /** The points of the path's polygon, in order. */
  close(): Passage[] {
    const kept: Passage[] = [];
    const passages = [...this.#passages, ...this.#passages.slice(0, 1)];
    let at = 0;
    for (const end of [...this.#fixed.slice(1), passages.length - 1]) {
      while (at < end) {
        kept.push(...passages.slice(at, at + 1));
        at = farthest(passages, at, end);
      }
    }
    return kept;
  }
}

/** The last passage that a line from the passage `from` can reach, at most `end`. */
function farthest(passages: readonly Passage[], from: number, end: number): number {
  const most = Math.min(end, from + MOST_LEFT_OUT);
  let to = from + 1;
  while (to < most && isStraight(passages, from, to + 1)) to++;
  return to;
}

/** True if a line from one passage to another passes the sides between them, in their order. */
function isStraight(passages: readonly Passage[], from: number, to: number): boolean {
  const [begin, end] = [passages[from], passages[to]];
  if (begin === undefined || end === undefined) return false;
  const [dx, dy] = [end.x - begin.x, end.y - begin.y];
  let last = 0;
  for (const { x, y, upright } of passages.slice(from + 1, to)) {
    const share = upright ? (y - begin.y) / dy : (x - begin.x) / dx;
    // NaN if the line runs parallel to the sides that it should cross.
    if (!(share >= last && share <= 1)) return false;
    const aside = upright ? begin.x + share * dx - x : begin.y + share * dy - y;
    if (Math.abs(aside) > REACH) return false;
    last = share;
  }
  return true;
}
