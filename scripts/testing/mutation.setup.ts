import { configureGlobal, readConfigureGlobal } from "fast-check";

// Whether a property fails is all that a mutant is asked: nobody reads the smallest example.
configureGlobal({ ...readConfigureGlobal(), endOnFailure: true });
