// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** All addresses that no webhook goes to. */
import "../../worker/webhooks/forbidden.test.ts";
