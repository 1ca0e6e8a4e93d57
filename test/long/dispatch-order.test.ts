// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** The dispatch of tasks with several services, and with a whole day in which 200,000 tasks wait. */
import "../unit/jobs/dispatch/dispatch-order.test.ts";
