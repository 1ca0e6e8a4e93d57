import { commandLine } from "./command-line.ts";
import { curlCode } from "./curl.ts";
import type { Order } from "./order.ts";
import { pythonCode } from "./python.ts";
import { typescriptCode } from "./typescript.ts";

export type Language = "curl" | "typescript" | "python" | "command-line";

export const LANGUAGES: readonly { readonly name: Language; readonly title: string }[] = [
  { name: "curl", title: "curl" },
  { name: "typescript", title: "TypeScript" },
  { name: "python", title: "Python" },
  { name: "command-line", title: "Command line" },
];

/** A job as code, or why it can't be said so; and what to know of it. */
export interface Sample {
  readonly code: string | null;
  readonly note: string;
}

/** A job as code of a language. @param baseUrl of the service */
export function sampleOf(language: Language, order: Order, baseUrl: string): Sample {
  switch (language) {
    case "curl":
      return { code: curlCode(order, baseUrl), note: "Save it as a file and run it with bash." };
    case "typescript":
      return { code: typescriptCode(order, baseUrl), note: "Requires npm install segmentation-client." };
    case "python":
      return { code: pythonCode(order, baseUrl), note: "Requires Python 3 and nothing else." };
    case "command-line": {
      const { code, note } = commandLine(order, baseUrl);
      return {
        code,
        note: note ?? "Requires Node 20 or newer. If it is interrupted, run it again to resume.",
      };
    }
  }
}
