/** The inference service's model in a chaos run, and its requests. */
export interface ChaosModel {
  readonly service: string;
  readonly env: Readonly<Record<string, string>>;
  /** The widest picture, in pixels. */
  readonly width: number;
  /** Prompts to draw a job's from. */
  readonly prompts: readonly (readonly string[])[];
}

/** The model that the stack serves by default. */
export const EMBEDDED: ChaosModel = {
  service: "inference-container/src/main.ts",
  env: {},
  width: 512,
  prompts: [["cat", "cup", "person"]],
};

/** A model that takes no time, except that one job in ten holds the device for half a second. */
export const FIXTURE: ChaosModel = {
  service: "inference-container/test/support/service/fixture-main.ts",
  // More tasks at the service than its default, because it is quick: a power cut costs each of them an attempt.
  env: { CHAOS_MODEL: "fixture", QUEUE_CAPACITY: "12" },
  width: 64,
  prompts: [["slow", "bright"], ...Array.from({ length: 9 }, () => ["bright"])],
};
