/** Where an outline passes along the side of a pixel: x and y in pixels, from the picture's upper left corner. */
export interface Passage {
  readonly x: number;
  readonly y: number;
  /** Whether the side is upright: passed upwards or downwards. */
  readonly upright: boolean;
}

/**
 * How far from its passage a line may pass a side, along the way from one pixel's centre to the other's. These are 0.45 pixels
 * away and more. So a line that passes the same sides in the same order has the same centres on either hand, whatever it does
 * in between: two sides in a row are met on the way around one square of four centres, and a line through both stays inside it.
 * The rest is room for programs that round coordinates to fractions of a pixel.
 */
const REACH = 0.3;
/** The most passages that are left out in a row, so that the work grows with the length of a path and no faster. */
const MOST_LEFT_OUT = 64;

/** A closed path along the sides of pixels, with no more points than it takes to keep their centres apart. */
export class Path {
  readonly #passages: Passage[] = [];
  /** The indices of the passages that stay. */
  readonly #fixed: number[] = [];

  /** Adds a passage. The first one has to be fixed: that it stays. */
  add(passage: Passage, isFixed = false): void {
    const passages = this.#passages;
    const [last, beforeLast] = [passages.at(-1), passages.at(-2)];
    const goesOn = last?.x === passage.x && beforeLast?.x === passage.x;
    if (goesOn && this.#fixed.at(-1) !== passages.length - 1) passages.pop();
    passages.push(passage);
    if (isFixed) this.#fixed.push(passages.length - 1);
  }

  /** The passages that are the points of the path's polygon, in order. */
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

/** How far a line from the passage `from` can lead, at most to `end`. */
function farthest(passages: readonly Passage[], from: number, end: number): number {
  const most = Math.min(end, from + MOST_LEFT_OUT);
  let to = from + 1;
  while (to < most && isStraight(passages, from, to + 1)) to++;
  return to;
}

/** Whether a line from one passage to another passes the sides between them, in their order. */
function isStraight(passages: readonly Passage[], from: number, to: number): boolean {
  const [begin, end] = [passages[from], passages[to]];
  if (begin === undefined || end === undefined) return false;
  const [dx, dy] = [end.x - begin.x, end.y - begin.y];
  let last = 0;
  for (const { x, y, upright } of passages.slice(from + 1, to)) {
    const share = upright ? (y - begin.y) / dy : (x - begin.x) / dx;
    // Not a number if the line lies along the gap that it should cross.
    if (!(share >= last && share <= 1)) return false;
    const aside = upright ? begin.x + share * dx - x : begin.y + share * dy - y;
    if (Math.abs(aside) > REACH) return false;
    last = share;
  }
  return true;
}
