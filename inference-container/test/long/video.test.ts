// oxlint-disable import/no-unassigned-import -- the files are suites, which run where they are imported
/** All clips of which the inference service's tests have some. */
import "../video/readable.test.ts";
import "../video/sparse.test.ts";
