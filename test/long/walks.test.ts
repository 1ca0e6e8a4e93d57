// oxlint-disable import/no-unassigned-import -- the files are suites, which run where they are imported
/** CI's walks over the whole stack, with those that it leaves out because others have the same subject. */
import "../e2e/agents.test.ts";
import "../e2e/clients/command-line.test.ts";
import "../e2e/models.test.ts";
import "../e2e/clients/python.test.ts";
import "../../studio/test/e2e/account-screens.test.ts";
import "../../studio/test/e2e/clip.test.ts";
import "../../studio/test/e2e/editing.test.ts";
import "../../studio/test/e2e/instant-clicks.test.ts";
import "../../studio/test/e2e/job-groups.test.ts";
import "../../studio/test/e2e/kept-work.test.ts";
import "../../studio/test/e2e/lost-scripts.test.ts";
import "../../studio/test/e2e/errors.test.ts";
import "../../studio/test/e2e/export.test.ts";
import "../../studio/test/e2e/hostile-text.test.ts";
import "../../studio/test/e2e/nothing-lost.test.ts";
import "../../studio/test/e2e/sign-in.test.ts";
import "../../studio/test/e2e/workbench.test.ts";
