import { describeNoBilling } from "../../support/worker/billing-refusals.ts";

describeNoBilling("createBillingPortal");
