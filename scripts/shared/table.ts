/** Formats a table: columns as wide as their longest cell, a rule under the heading, numbers right-aligned. */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => String(row[column] ?? "").length)),
  );
  const format = (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return typeof cell === "number" ? String(cell).padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [format(heading), format(widths.map((width) => "─".repeat(width))), ...rows.map(format)];
}
