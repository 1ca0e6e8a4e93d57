import { type Blanks, fill } from "@segmentation/protocol";

/** The reasons why an archive could not be built: a stable code, and a sentence with placeholders `{…}`. */
export const ARCHIVE_PROBLEMS = {
  archive_failed: "The archive could not be built. Request it again with POST on the same path.",
  archive_output_missing: "The file {key} is no longer in storage. Create the job again.",
  archive_too_many_files:
    "The job has more files than the {limit} that a zip can hold. Download them one by one: the job's result lists their URLs.",
  archive_too_large:
    "The job's files are larger than the 4 GiB that a zip can hold. Download them one by one: the job's result lists their URLs.",
  archive_too_often:
    "The archive of this job has been built too often. Download its files one by one: the job's result lists their URLs.",
} as const;

type Code = keyof typeof ARCHIVE_PROBLEMS;

/** The reason as clients see it. */
export function archiveProblem<Given extends Code>(
  code: Given,
  ...[values]: Blanks<(typeof ARCHIVE_PROBLEMS)[Given]>
): string {
  const sentence: string = ARCHIVE_PROBLEMS[code];
  return `${code}: ${fill(sentence, { ...values })}`;
}
