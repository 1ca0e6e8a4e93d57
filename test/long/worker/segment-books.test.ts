// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** Requests of one step and of three, with their books. */
import "../../worker/segment/books.test.ts";
