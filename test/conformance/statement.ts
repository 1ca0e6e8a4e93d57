/** A statement of the specification, in short, and the tests that prove it. */
export interface Statement {
  /** The specification's section, such as `4.3`, or that of the additions to it, such as `A1`; a table's row counts to its section. */
  readonly section: string;
  readonly says: string;
  /**
   * Each as `<file>: <title>`. A file is named without `.test.ts`: below `test/worker/`, or with `unit/` or `e2e/` below `test/`,
   * or with `inference/` below `inference-container/test/`.
   */
  readonly proofs: readonly string[];
}

/** The part of the specification that a list of statements covers. */
export interface Part {
  readonly title: string;
  readonly statements: readonly Statement[];
}

/** A list of statements of one section: what each says, and its proofs. */
export const section = (
  number: string,
  ...statements: readonly (readonly [says: string, ...proofs: string[]])[]
): Statement[] => statements.map(([says, ...proofs]) => ({ section: number, says, proofs }));
