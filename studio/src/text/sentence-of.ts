/** A task's or a job's problem, which is a code, a colon and a sentence, without the code: people read the sentence. */
export const sentenceOf = (problem: string): string => problem.replace(/^[a-z_]+: /, "");
