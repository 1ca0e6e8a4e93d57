import { createInterface } from "node:readline/promises";

/** Whom a command asks. */
export interface Operator {
  /** The answer, "" for none; null if there is nobody to ask. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

/** The person at the terminal; nobody if there is none. */
export function operatorAt(signal: AbortSignal): Operator {
  const { stdin: input, stdout: output } = process;
  if (!input.isTTY || !output.isTTY) return { ask: null };
  const ask = async (question: string): Promise<string> => {
    const terminal = createInterface({ input, output });
    // At a question, the terminal hands Ctrl-C to whoever reads.
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    try {
      return (await terminal.question(`${question} `, { signal })).trim();
    } finally {
      terminal.close();
    }
  };
  return { ask };
}
