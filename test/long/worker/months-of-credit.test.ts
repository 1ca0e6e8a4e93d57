// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** Months of customers who use all that they may, with every customer. */
import "../../worker/billing/months-of-credit.test.ts";
