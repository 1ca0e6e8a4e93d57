// oxlint-disable import/no-unassigned-import -- each file is a suite, which runs where it is imported
/** Random tests at their full length, and the largest cases. Suites with hooks at their top are in other files: these would run for all. */
import "../../worker/billing/billing-history.test.ts";
import "../../worker/accounts/budgets.test.ts";
import "../../worker/billing/ledger/settled-units.test.ts";
import "../../worker/every-operation/random.test.ts";
import "../../worker/every-operation/unauthorized.test.ts";
import "../../worker/jobs/admission-guard.test.ts";
import "../../worker/billing/daily-use.test.ts";
import "../../worker/jobs/database-calls.test.ts";
import "../../worker/billing/ledger/ledger-sums.test.ts";
import "../../worker/jobs/acceptance-state.test.ts";
import "../../worker/accounts/operations/getAccountUsage.test.ts";
import "../../worker/operator/rotation.test.ts";
import "../../worker/billing/ledger/closing.test.ts";
import "../../worker/billing/missed-webhooks.test.ts";
import "../../worker/billing/usage.test.ts";
import "../../worker/every-operation/address-rate.test.ts";
import "../../worker/operator/erasure-sweep.test.ts";
