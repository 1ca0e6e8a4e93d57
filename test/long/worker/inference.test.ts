// oxlint-disable import/no-unassigned-import -- each file is a suite, which runs where it is imported
/** A thousand pictures on machines that come from zero and vanish, and pools that fail at random. */
import "../../worker/models/pools-simulation.test.ts";
import "../../worker/operator/from-zero.test.ts";
