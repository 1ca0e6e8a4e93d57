import { configureGlobal, readConfigureGlobal } from "fast-check";

// A mutant only has to fail a property: nobody reads its smallest counterexample.
configureGlobal({ ...readConfigureGlobal(), endOnFailure: true });
