import { describeMissingKey } from "../../support/worker/billing-refusals.ts";

describeMissingKey("createBillingPortal");
