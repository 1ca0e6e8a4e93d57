import { fork } from "node:child_process";
import { on, once } from "node:events";
import type { Provider } from "../../inference-container/src/device/messages.ts";
import { Failure } from "../../scripts/shared/command-line.ts";
import { maskOfRle } from "./measures/mask.ts";
import { ModelMessage, type Subject } from "./subject.ts";

/**
 * Loads a model folder in a separate process and calls `use` with it. An abort kills that process; it leaves nothing on
 * disk.
 * @throws Failure if the folder cannot be used, or the process ends
 */
export async function withModelFolder<T>(
  folder: string,
  provider: Provider,
  signal: AbortSignal,
  use: (subject: Subject) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const script = new URL("ask-child.ts", import.meta.url);
  // ONNX Runtime's output must not mix with the report on standard output.
  const child = fork(script, [folder, provider], { stdio: ["ignore", 2, 2, "ipc"] });
  const exit = once(child, "exit");
  const messages = on(child, "message", { signal, close: ["exit"] });
  const next = async (): Promise<ModelMessage> => {
    const { value, done } = await messages.next();
    if (done === true) {
      const how = child.signalCode ?? `exit code ${child.exitCode}`;
      throw new Failure(`The process that loaded ${folder} ended with ${how}. Perhaps memory ran out.`);
    }
    const message = ModelMessage.parse(value[0]);
    if (message.kind === "failed") throw new Failure(message.error);
    return message;
  };
  try {
    const ready = await next();
    return await use({
      name: ready.kind === "ready" ? ready.name : folder,
      timed: "from the decoded picture to the masks of all prompts",
      ask: async (question) => {
        child.send(question);
        const answer = await next();
        if (answer.kind !== "answer") throw new Error("The process that has the model did not answer.");
        const { found, drawn, notices, ms } = answer;
        return {
          found: found.map(({ prompt, score, mask }) => ({
            prompt,
            score,
            mask: maskOfRle(mask.size, mask.counts),
          })),
          drawn: drawn?.map(({ size, counts }) => maskOfRle(size, counts)) ?? null,
          notices,
          ms,
        };
      },
    });
  } finally {
    child.kill("SIGKILL");
    await exit;
  }
}
