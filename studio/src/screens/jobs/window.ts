/** Rows of a long list that are drawn: from `first`, without `end`. */
interface RowWindow {
  readonly first: number;
  readonly end: number;
}

/** Number of rows above and below the viewport that are rendered too, so that fast scrolling shows no gap. */
const OVERSCAN = 8;

/** @param top how far the list's begin is above the window's upper edge; negative if it is below. All in pixels. */
export function rowWindow(count: number, rowHeight: number, top: number, windowHeight: number): RowWindow {
  const bounded = (row: number): number => Math.min(count, Math.max(0, row));
  const first = bounded(Math.floor(top / rowHeight) - OVERSCAN);
  return { first, end: Math.max(first, bounded(Math.ceil((top + windowHeight) / rowHeight) + OVERSCAN)) };
}

/** The drawn rows: those of the window, and the focused one, wherever it is. */
export function rowsOf({ first, end }: RowWindow, focused: number, count: number): number[] {
  const rows = Array.from({ length: end - first }, (_, i) => first + i);
  if (focused >= count || (focused >= first && focused < end)) return rows;
  return focused < first ? [focused, ...rows] : [...rows, focused];
}

/**
 * Returns the distance to scroll until a row is fully visible: 0 if it is.
 * @param top as of `rowWindow`; `bars` cover the window's upper and lower edge. All in pixels.
 */
export function scrollTo(
  row: number,
  rowHeight: number,
  top: number,
  windowHeight: number,
  bars: { readonly above: number; readonly below: number },
): number {
  const above = row * rowHeight - (top + bars.above);
  const below = (row + 1) * rowHeight - (top + windowHeight - bars.below);
  return above < 0 ? above : Math.max(0, below);
}
