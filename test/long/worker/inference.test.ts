// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** Pools that fail at random. */
import "../../worker/models/pools-simulation.test.ts";
