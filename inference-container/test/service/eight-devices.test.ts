import { it } from "vitest";
import { workOnSixOfEight } from "../support/six-of-eight.ts";

it("of eight devices one is broken and one throws later and is given up: no task fails, and the others lose no turn", () =>
  workOnSixOfEight({ breaks: "throws", ends: "given_up" }));
