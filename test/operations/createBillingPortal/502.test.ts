import { describeProviderFailure } from "../../support/worker/billing-refusals.ts";

describeProviderFailure("createBillingPortal");
