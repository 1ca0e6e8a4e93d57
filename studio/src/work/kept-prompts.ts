/**
 * The service returns a job's prompts only with its result. So that a job under way has them after a reload, the tab keeps those of
 * the jobs that it made, the newest first.
 */
export type KeptPrompts = readonly (readonly [jobId: string, prompts: readonly string[]])[];

const NAME = "studio.prompts";
const MOST_JOBS = 50;

/** What is kept once a job has been created. */
export const withJob = (kept: KeptPrompts, jobId: string, prompts: readonly string[]): KeptPrompts =>
  [[jobId, prompts] as const, ...kept.filter(([other]) => other !== jobId)].slice(0, MOST_JOBS);

function read(): KeptPrompts {
  const kept: KeptPrompts = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
  return kept;
}

/** Keeps a job's prompts for this tab. */
export const keepPrompts = (jobId: string, prompts: readonly string[]): void =>
  sessionStorage.setItem(NAME, JSON.stringify(withJob(read(), jobId, prompts)));

/** The prompts of a job that this tab made; none of another one. */
export const promptsKept = (jobId: string): readonly string[] =>
  read().find(([other]) => other === jobId)?.[1] ?? [];

/** Forgets them all. */
export const forgetPrompts = (): void => sessionStorage.removeItem(NAME);
