// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
import "../../inference-container/test/video/as-decoded.test.ts";
