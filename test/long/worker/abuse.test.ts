// oxlint-disable import/no-unassigned-import -- the file is a suite, which runs where it is imported
/** A month of a trial account and of somebody without a credential who do what they can, with the default settings. */
import "../../worker/abuse/month.test.ts";
