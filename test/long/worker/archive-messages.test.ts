// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** Archives that take several messages, with each builder cut off. */
import "../../worker/archives/archive.test.ts";
