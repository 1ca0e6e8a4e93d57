// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** Events of two hours, 21,600, for an endpoint that is down meanwhile. */
import "../../worker/webhooks/backlog.test.ts";
