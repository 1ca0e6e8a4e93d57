/** Explains the problem of a task or a job in plain words. */
const SENTENCES: Readonly<Record<string, string>> = {
  all_tasks_failed: "No picture could be segmented. Open the job to see why.",
  canceled: "Canceled before it was done. It costs nothing.",
  engine_crashed: "The service crashed while it segmented this. Run it again.",
  engine_timeout: "The service took too long for this. Run it again.",
  attempts_exhausted: "The service could not finish this in several attempts. Run it again.",
  inference_unavailable: "The service had no room for this for too long. Run it again later.",
};

/** Problems that only the service's operator can solve. */
const OF_OPERATOR: ReadonlySet<string> = new Set([
  "input_forbidden",
  "input_redirected",
  "output_grant_mismatch",
  "output_redirected",
  "output_refused",
  "report_refused",
  "storage_origin_refused",
  "task_refused",
]);

/** Returns the sentence of a task's or a job's problem, which the service writes as a code, a colon and a sentence for programs. */
export function sentenceOf(problem: string): string {
  const [, code = "", sentence = ""] = /^([a-z_]+): (.*)$/s.exec(problem) ?? [null, "", problem];
  if (OF_OPERATOR.has(code)) return `The service is set up wrongly. Tell its operator: ${code}.`;
  return (
    SENTENCES[code] ??
    sentence.replaceAll("Create a new job", "Run it again").replaceAll("inference service", "service")
  );
}

/** Tells whether a task or a job ended because a person canceled it. */
export const isCanceled = (problem: string | null): boolean => problem?.startsWith("canceled:") === true;
