import { it } from "vitest";
import { workOnSixOfEight } from "../support/service/six-of-eight.ts";

it.for([
  { breaks: "hangs", ends: "starting" },
  { breaks: "throws", ends: "ready" },
  { breaks: "throws", ends: "given_up" },
] as const)(
  "of eight devices one is broken and one $breaks later and is $ends at the end: no task fails, and the others lose no turn",
  workOnSixOfEight,
);
