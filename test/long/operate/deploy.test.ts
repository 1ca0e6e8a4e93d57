// oxlint-disable import/no-unassigned-import -- the files are suites, which run where they are imported
/** A deployment that ends at any command, and a deployment prepared by Wrangler itself. */
import "../../unit/scripts/operate/deploy/deploy.test.ts";
import "../../unit/scripts/operate/deploy/interrupted-create.test.ts";
