// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** A thousand jobs with two endpoints, one slow, one dead, and everything killed twice in between. */
import "../../worker/webhooks/many-jobs.test.ts";
/** Events of two hours, 21,600, for an endpoint that is down meanwhile. */
import "../../worker/webhooks/backlog.test.ts";
