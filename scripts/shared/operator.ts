import { createInterface } from "node:readline/promises";

/** The person who runs a command. */
export interface Operator {
  /** Returns the answer, "" for none; null without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | null;
}

/** Returns the person at the terminal, if there is one. */
export function operatorAt(signal: AbortSignal): Operator {
  const { stdin: input, stdout: output } = process;
  if (!input.isTTY || !output.isTTY) return { ask: null };
  const ask = async (question: string): Promise<string> => {
    const terminal = createInterface({ input, output });
    // At a question, the terminal passes Ctrl-C to the reader.
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    try {
      return (await terminal.question(`${question} `, { signal })).trim();
    } finally {
      terminal.close();
    }
  };
  return { ask };
}
