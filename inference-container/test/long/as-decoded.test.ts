// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
import "../video/as-decoded.test.ts";
