/** A string as a URL; undefined if it is not one. Not every platform has `URL.parse` or `URL.canParse`. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
