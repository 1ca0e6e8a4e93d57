/*
 * Sends a test's log lines to the runner only if the test fails: each line costs it a stack trace and a message, and the Worker
 * logs every request. Evaluated once per runtime.
 */
const LEVELS = ["log", "warn", "error"] as const;
const shown = { log: console.log, warn: console.warn, error: console.error };

let logged: { readonly level: (typeof LEVELS)[number]; readonly line: readonly unknown[] }[] = [];

for (const level of LEVELS) console[level] = (...line: unknown[]) => void logged.push({ level, line });

/** Forgets the lines logged since the last call, and shows them if the test has failed. */
export function endTestLog(hasFailed: boolean): void {
  if (hasFailed) for (const { level, line } of logged) shown[level](...line);
  logged = [];
}
