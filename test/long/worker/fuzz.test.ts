// oxlint-disable import/no-unassigned-import -- each file is a suite, which runs where it is imported
/** Whatever draws at random or plays months, at its full length: the project says how much. */
import "../../worker/accounts/billing-history.test.ts";
import "../../worker/accounts/budgets.test.ts";
import "../../worker/accounts/credit.test.ts";
import "../../worker/accounts/settled-units.test.ts";
import "../../worker/every-operation/random.test.ts";
import "../../worker/jobs/admission-guard.test.ts";
import "../../worker/jobs/daily-limit.test.ts";
import "../../worker/jobs/database-calls.test.ts";
import "../../worker/jobs/ledger-sums.test.ts";
import "../../worker/jobs/standing.test.ts";
import "../../worker/jobs/strain.test.ts";
import "../../worker/operations/getAccountUsage.test.ts";
import "../../worker/rotation.test.ts";
import "../../worker/webhooks/forbidden.test.ts";
