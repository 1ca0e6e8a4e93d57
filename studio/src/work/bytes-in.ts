const UNITS = ["kB", "MB", "GB"] as const;

/** A number of bytes as people read it, in decimal units. */
export function bytesIn(bytes: number): string {
  let value = bytes / 1_000;
  for (const unit of UNITS) {
    if (value < 1_000 || unit === "GB") return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
    value /= 1_000;
  }
  return `${bytes} bytes`;
}
