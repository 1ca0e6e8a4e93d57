/** The keys that go from item to item of a grid, each as a place made of the present one. */
const STEPS: Readonly<Record<string, (at: number, columns: number, count: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at, columns) => at - columns,
  ArrowDown: (at, columns, count) =>
    // From the row above an unfinished last row one comes to its last item.
    at + columns >= count && Math.floor(at / columns) < Math.floor((count - 1) / columns)
      ? count - 1
      : at + columns,
  Home: () => 0,
  End: (_, __, count) => count - 1,
};

/** Where a key leads from an item of a grid that is filled row by row; null if it leads nowhere. */
export function stepTo(key: string, at: number, columns: number, count: number): number | null {
  const to = STEPS[key]?.(at, columns, count) ?? at;
  return to === at || to < 0 || to >= count ? null : to;
}
