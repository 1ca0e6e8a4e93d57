import { SegmentationError } from "../errors.ts";
import { Interrupted } from "./terminal.ts";

/** A failure whose message is complete. Exit code 2 is for a wrong command line, 1 for everything else. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The failure of a wrong command line. */
export const usageFailure = (message: string): Failure => new Failure(message, 2);

/** The system's code of an error: `ENOENT`, `ENOSPC`. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

const SYSTEM_SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Free some space, then run the same command again: it resumes where it stopped.",
  EDQUOT:
    "Your disk quota is used up. Free some space, then run the same command again: it resumes where it stopped.",
  EROFS: "The file system is read-only. Choose a folder that can be written to with --out.",
  EMFILE: "Too many files are open. Raise the limit with `ulimit -n 4096`, then run the same command again.",
};

/** The message of an error for a person, and the exit code. */
export function explain(error: unknown): { readonly message: string; readonly exitCode: number } {
  if (error instanceof Failure || error instanceof Interrupted) return error;
  const code = systemCode(error) ?? systemCode(error instanceof Error ? error.cause : undefined);
  // The system's message explains a file's error better.
  if (error instanceof SegmentationError && (error.code !== "invalid_input" || code === undefined))
    return { message: ofService(error), exitCode: 1 };
  const { message } = error instanceof Error ? error : new Error(String(error));
  const sentence = SYSTEM_SENTENCES[code ?? ""];
  if (sentence !== undefined) return { message: `${sentence} (${message})`, exitCode: 1 };
  if (code === "EACCES" || code === "EPERM")
    return {
      message: `No access: ${message}. Check who owns the file or folder.`,
      exitCode: 1,
    };
  return {
    message: code === undefined && error instanceof Error ? (error.stack ?? message) : message,
    exitCode: 1,
  };
}

function ofService({ code, message, upgradeUrl, requestId, status }: SegmentationError): string {
  if (code === "Unauthorized")
    return "The service does not accept this API key. Run `segmentation-client login`, or set SEGMENTATION_API_KEY.";
  const upgrade = upgradeUrl === undefined ? "" : `\nUpgrade here: ${upgradeUrl}`;
  const report =
    status !== undefined && status >= 500 && requestId !== undefined ? ` (request ${requestId})` : "";
  return `${message}${report}${upgrade}`;
}
