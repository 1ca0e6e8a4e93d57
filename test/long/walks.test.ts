// oxlint-disable import/no-unassigned-import -- the files are suites, which run where they are imported
/** CI's walks over the whole stack, with those and the looks at a page that it leaves out: others of CI have the same subject. */
import "../e2e/command-line.test.ts";
import "../e2e/models.test.ts";
import "../e2e/studio/account-screens.test.ts";
import "../e2e/studio/clip.test.ts";
import "../e2e/studio/editing.test.ts";
import "../e2e/studio/entries.test.ts";
import "../e2e/studio/errors.test.ts";
import "../e2e/studio/export.test.ts";
import "../e2e/studio/nothing-lost.test.ts";
import "../e2e/studio/sign-in.test.ts";
import "../e2e/studio/workbench.test.ts";
