// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** An archive of 30,000 files, from a bucket that takes its time. */
import "../../worker/archives/large-archive.test.ts";
