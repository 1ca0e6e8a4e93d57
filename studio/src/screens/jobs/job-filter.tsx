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

interface JobFilterProps {
  readonly filter: JobFilter;
  readonly onChange: (filter: JobFilter) => void;
}

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
      <Choice
        label="Status"
        all="All statuses"
        words={STATUSES}
        chosen={filter.status}
        onChoose={(status) => onChange({ ...filter, status })}
      />
      <Choice
        label="Type"
        all="Pictures and clips"
        words={MODES}
        chosen={filter.mode}
        onChoose={(mode) => onChange({ ...filter, mode })}
      />
      <input
        class="input job-filter-id"
        type="search"
        aria-label="Job ID"
        placeholder="Find by job ID"
        autocomplete="off"
        spellcheck={false}
        maxLength={LONGEST_ID}
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
      />
    </form>
  );
}

interface ChoiceProps<Word extends string> {
  readonly label: string;
  /** The label of the empty choice. */
  readonly all: string;
  readonly words: readonly (readonly [Word, name: string])[];
  readonly chosen: Word | undefined;
  readonly onChoose: (word: Word | undefined) => void;
}

const Choice = <Word extends string>({ label, all, words, chosen, onChoose }: ChoiceProps<Word>) => (
  <select
    class="input"
    aria-label={label}
    value={chosen ?? ""}
    onChange={({ currentTarget: { value } }) => onChoose(words.find(([word]) => word === value)?.[0])}
  >
    <option value="">{all}</option>
    {words.map(([word, name]) => (
      <option key={word} value={word}>
        {name}
      </option>
    ))}
  </select>
);
