import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JobFilter } from "./job-list.ts";
import "./job-filter.css";

const STATUSES = [
  ["queued", "Queued"],
  ["processing", "Running"],
  ["success", "Done"],
  ["failed", "Failed or canceled"],
] as const;
const MODES = [
  ["single", "Single picture"],
  ["batch", "Multiple pictures"],
  ["video", "Clips"],
] as const;
/** As the contract bounds it. */
const LONGEST_ID = 200;
const TYPING_MS = 250;

export interface JobFilterProps {
  readonly filter: JobFilter;
  readonly onChange: (filter: JobFilter) => void;
}

const wordOf = <Word extends string>(words: readonly (readonly [Word, string])[], value: string) =>
  words.find(([word]) => word === value)?.[0];

/** Which jobs the list has: by status, by processing mode, or one by its id. */
export function JobFilters({ filter, onChange }: JobFilterProps) {
  const typed = useSignal(filter.jobId ?? "");
  const text = typed.value.trim();
  useEffect(() => {
    const jobId = text === "" ? undefined : text;
    if (jobId === filter.jobId) return () => {};
    const timer = setTimeout(() => onChange({ ...filter, jobId }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, filter]);
  useEffect(() => {
    if (filter.jobId === undefined) typed.value = "";
  }, [filter.jobId, typed]);
  return (
    <form
      class="job-filter"
      role="search"
      aria-label="Filter jobs"
      onSubmit={(event) => event.preventDefault()}
    >
      <select
        class="input"
        aria-label="Status"
        value={filter.status ?? ""}
        onChange={(event) => onChange({ ...filter, status: wordOf(STATUSES, event.currentTarget.value) })}
      >
        <option value="">All statuses</option>
        {STATUSES.map(([word, name]) => (
          <option key={word} value={word}>
            {name}
          </option>
        ))}
      </select>
      <select
        class="input"
        aria-label="Type"
        value={filter.mode ?? ""}
        onChange={(event) => onChange({ ...filter, mode: wordOf(MODES, event.currentTarget.value) })}
      >
        <option value="">Pictures and clips</option>
        {MODES.map(([word, name]) => (
          <option key={word} value={word}>
            {name}
          </option>
        ))}
      </select>
      <input
        class="input job-filter-id"
        type="search"
        aria-label="Job ID"
        placeholder="Find by job ID"
        autocomplete="off"
        spellcheck={false}
        maxLength={LONGEST_ID}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
      />
    </form>
  );
}
