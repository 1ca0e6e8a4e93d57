import type { Terminal } from "../terminal.ts";

const CODES = { bold: [1, 22], red: [31, 39], green: [32, 39], dim: [2, 22] } as const;

/** A text in a style, if the terminal shows any. */
export function style(terminal: Terminal, name: keyof typeof CODES, text: string): string {
  const [on, off] = CODES[name];
  return terminal.hasColours ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}
