/** The linear assignment problem. */

/**
 * Pairs rows with columns, each at most once, so that the sum of the pairs' gains is greatest; only pairs with a gain
 * above 0 are made. Returns each row's column, -1 if it has none. All rows must have the same length.
 *
 * The Hungarian algorithm in its shortest augmenting path form, O(rows² · columns): R. Jonker and A. Volgenant, "A
 * shortest augmenting path algorithm for dense and sparse linear assignment problems", Computing 38, 1987.
 */
export function assign(gains: readonly (readonly number[])[]): number[] {
  const columns = gains[0]?.length ?? 0;
  if (gains.length > columns) return inverse(assign(transposed(gains, columns)), gains.length);
  const costs = gains.map((row) => Float64Array.from(row, (gain) => -Math.max(0, gain)));
  const rowOf = new Int32Array(columns).fill(-1);
  const rowPrices = new Float64Array(gains.length);
  const columnPrices = new Float64Array(columns);
  for (let row = 0; row < gains.length; row++) augment(row, costs, rowOf, rowPrices, columnPrices);
  return inverse(rowOf, gains.length).map((column, row) => ((gains[row]?.[column] ?? 0) > 0 ? column : -1));
}

/** Adds a row to an optimal assignment of those before it, along the cheapest alternating path to a free column (Dijkstra). */
function augment(
  start: number,
  costs: readonly Float64Array[],
  rowOf: Int32Array,
  rowPrices: Float64Array,
  columnPrices: Float64Array,
): void {
  const distance = new Float64Array(rowOf.length).fill(Infinity);
  const reachedFrom = new Int32Array(rowOf.length).fill(-1);
  const done = new Uint8Array(rowOf.length);
  const path: number[] = [];
  let row = start;
  let column = -1;
  let length = 0;
  while (row !== -1) {
    let nearest = -1;
    for (let j = 0; j < rowOf.length; j++) {
      if (done[j] === 1) continue;
      const reduced = (costs[row]?.[j] ?? 0) - (rowPrices[row] ?? 0) - (columnPrices[j] ?? 0);
      if (length + reduced < (distance[j] ?? 0)) {
        distance[j] = length + reduced;
        reachedFrom[j] = column;
      }
      if (nearest === -1 || (distance[j] ?? 0) < (distance[nearest] ?? 0)) nearest = j;
    }
    done[nearest] = 1;
    path.push(nearest);
    length = distance[nearest] ?? 0;
    column = nearest;
    row = rowOf[nearest] ?? -1;
  }

  rowPrices[start] = (rowPrices[start] ?? 0) + length;
  for (const passed of path.slice(0, -1)) {
    const rest = length - (distance[passed] ?? 0);
    const owner = rowOf[passed] ?? -1;
    rowPrices[owner] = (rowPrices[owner] ?? 0) + rest;
    columnPrices[passed] = (columnPrices[passed] ?? 0) - rest;
  }
  while (column !== -1) {
    const previous = reachedFrom[column] ?? -1;
    rowOf[column] = previous === -1 ? start : (rowOf[previous] ?? -1);
    column = previous;
  }
}

function transposed(gains: readonly (readonly number[])[], columns: number): number[][] {
  return Array.from({ length: columns }, (_, column) => gains.map((row) => row[column] ?? 0));
}

/** From "the row of each column" to "the column of each row", or the reverse. */
function inverse(partners: ArrayLike<number>, count: number): number[] {
  const result = Array<number>(count).fill(-1);
  for (const [index, partner] of Array.from(partners).entries()) if (partner !== -1) result[partner] = index;
  return result;
}
