import type { Composition } from "../rules/edit-history.ts";
import type { Shape } from "./fields.ts";

type Unknown = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Unknown => typeof value === "object" && value !== null;

/** Tells whether a value, which any client may have saved, is a composition. */
function isComposition(value: unknown): value is Composition {
  if (!isObject(value)) return false;
  switch (value["from"]) {
    case "found":
      return typeof value["object"] === "string";
    case "union":
      return Array.isArray(value["of"]) && value["of"].every(isComposition);
    case "part":
      return isComposition(value["of"]) && [value["part"], value["parts"]].every(Number.isInteger);
    case "strokes":
      return (
        isComposition(value["of"]) && Array.isArray(value["strokes"]) && value["strokes"].every(isStroke)
      );
    case "drawn":
      return isObject(value["mask"]) && typeof value["mask"]["counts"] === "string";
    default:
      return false;
  }
}

const isStroke = (value: unknown): boolean =>
  isObject(value) &&
  ["brush", "eraser"].includes(String(value["mode"])) &&
  typeof value["radius"] === "number" &&
  Array.isArray(value["points"]) &&
  value["points"].every((each) => typeof each === "number");

/** Returns how the mask of an object is made: by its recipe, if the studio wrote it, or the saved mask; null if it is as found. */
export function compositionIn(shape: Shape | undefined): Composition | null {
  if (shape?.recipe !== undefined) {
    const composition = parsed(shape.recipe);
    if (isComposition(composition)) return composition;
  }
  return shape?.mask === undefined ? null : { from: "drawn", mask: shape.mask };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
