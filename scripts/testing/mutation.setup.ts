import { configureGlobal, readConfigureGlobal } from "fast-check";

// A mutant only has to fail a property: its smallest counterexample is not used.
configureGlobal({ ...readConfigureGlobal(), endOnFailure: true });
