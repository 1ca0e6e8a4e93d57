import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { Select } from "../../components/controls/field.tsx";
import type { JobFilter } from "./job-list.ts";
import "./job-filter.css";

const STATUSES = [
  [undefined, "All statuses"],
  ["queued", "Queued"],
  ["processing", "Running"],
  ["success", "Done"],
  ["failed", "Failed or canceled"],
] as const;
const MODES = [
  [undefined, "Pictures and videos"],
  ["single", "Single picture"],
  ["batch", "Multiple pictures"],
  ["video", "Videos"],
] as const;
/** As the contract bounds it. */
const LONGEST_ID = 200;
const TYPING_MS = 250;
const IS_ID = /^job_/;

interface JobFilterProps {
  readonly filter: JobFilter;
  readonly onChange: (filter: JobFilter) => void;
}

/** Filter of the list of jobs: by status, by processing mode, one by its id, or those with some words. */
export function JobFilters({ filter, onChange }: JobFilterProps) {
  const asked = filter.jobId ?? filter.words ?? "";
  const typed = useSignal(asked);
  const text = typed.value.trim();
  useEffect(() => {
    if (text === asked) return () => {};
    const jobId = IS_ID.test(text) ? text : undefined;
    const words = jobId === undefined && text !== "" ? text : undefined;
    const timer = setTimeout(() => onChange({ ...filter, jobId, words }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, filter]);
  // Before anybody can type: an effect that waits for the frame to be shown would take the first letters away.
  useLayoutEffect(() => {
    if (asked === "") typed.value = "";
  }, [asked, typed]);
  return (
    <form
      class="job-filter"
      role="search"
      aria-label="Filter jobs"
      onSubmit={(event) => event.preventDefault()}
    >
      <Select
        aria-label="Status"
        options={STATUSES}
        chosen={filter.status}
        onChoose={(status) => onChange({ ...filter, status })}
      />
      <Select
        aria-label="Type"
        options={MODES}
        chosen={filter.mode}
        onChoose={(mode) => onChange({ ...filter, mode })}
      />
      <input
        class="input job-filter-id"
        type="search"
        aria-label="Prompt, file name or job ID"
        placeholder="Prompt, file or job ID"
        autocomplete="off"
        spellcheck={false}
        maxLength={LONGEST_ID}
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
      />
    </form>
  );
}
