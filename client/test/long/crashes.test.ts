// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** Orders that are killed at each of their steps. */
import "../cli/crashes.test.ts";
