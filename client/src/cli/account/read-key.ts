import { text } from "node:stream/consumers";
import { Failure } from "../failure.ts";
import type { Terminal } from "../terminal.ts";

const [ENTER, LINE_FEED, CONTROL_C, CONTROL_D, BACKSPACE, DELETE] = [
  "\r",
  "\n",
  "\x03",
  "\x04",
  "\b",
  "\x7f",
];

/** Reads a key: what a person types, without showing it, or all that stdin gives. @throws Failure if there is none */
export async function readKey(terminal: Terminal): Promise<string> {
  const { stdin } = terminal;
  const typed = stdin.isTTY === true ? await typedLine(terminal) : await text(stdin);
  const key = typed.trim();
  if (key === "")
    throw new Failure("No key was given. Paste it at the prompt, or pipe it in: login < key.txt");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Failure("This is no API key: a key is one word, such as sk_live_…");
  return key;
}

/** One line, of which nothing is shown. */
function typedLine({ stdin, draw, tell, signal }: Terminal): Promise<string> {
  draw("API key (it is not shown): ");
  stdin.setRawMode?.(true);
  stdin.setEncoding("utf8");
  return new Promise<string>((resolve, reject) => {
    let line = "";
    const end = (): void => {
      stdin.off("data", read);
      signal.removeEventListener("abort", abort);
      stdin.setRawMode?.(false);
      stdin.pause();
      tell("");
    };
    const abort = (): void => {
      end();
      reject(signal.reason);
    };
    const read = (piece: string): void => {
      for (const character of piece) {
        if (character === CONTROL_C) {
          end();
          return reject(new Failure("Nothing was changed."));
        }
        if (character === ENTER || character === LINE_FEED || character === CONTROL_D) {
          end();
          return resolve(line);
        }
        line = character === BACKSPACE || character === DELETE ? line.slice(0, -1) : line + character;
      }
    };
    stdin.on("data", read);
    signal.addEventListener("abort", abort);
    stdin.resume();
  });
}
