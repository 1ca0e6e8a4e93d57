import type { JobDefinition, JobState } from "../../core/jobs/state.ts";

/** Stored records call the processing mode `mode`; these two functions are the only ones that know. */
const storedDefinition = ({ processingMode: mode, ...rest }: JobDefinition) => ({ ...rest, mode });
type StoredDefinition = ReturnType<typeof storedDefinition>;
const definitionOf = ({ mode, ...rest }: StoredDefinition): JobDefinition => ({
  ...rest,
  processingMode: mode,
});

const VERSION = 2;

/** A job's state as it is stored. `recordVersion` names the version that wrote it last. */
export type JobRecord = Omit<JobState, "definition"> & {
  readonly definition: StoredDefinition;
  readonly recordVersion: number;
};

/** A record of version 1 has no number. */
export type JobRecordV1 = Omit<JobRecord, "recordVersion" | "unlistedAt"> & {
  readonly recordVersion?: undefined;
};

/** An upgrade fills in what is absent and changes nothing else: an older Worker may have written a newer record again. */
const fromVersion1 = (record: JobRecordV1): JobRecord => ({
  unlistedAt: null,
  ...record,
  recordVersion: VERSION,
});

/** The record of a state, in the newest version. */
export const recordOf = ({ definition, ...state }: JobState): JobRecord => ({
  ...state,
  definition: storedDefinition(definition),
  recordVersion: VERSION,
});

/**
 * The state in a record of any version. Each version only adds to the one before, so the record of a newer Worker, which
 * this one finds after a rollback, is read as it is. Fields that this version does not know stay in the state and are
 * written back.
 */
export function stateOf(record: JobRecordV1 | JobRecord): JobState {
  const upgraded = record.recordVersion === undefined ? fromVersion1(record) : record;
  const { recordVersion: _, definition, ...state } = upgraded;
  return { ...state, definition: definitionOf(definition) };
}
