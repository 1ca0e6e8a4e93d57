/** A text as a URL; undefined if it is none. Not every platform has `URL.parse` or `URL.canParse`. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
