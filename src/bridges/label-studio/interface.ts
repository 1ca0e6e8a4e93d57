import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { ServiceError } from "../../core/errors.ts";

/** The forms in which an object is given, the most exact first. */
const FORMS = {
  BrushLabels: "brushlabels",
  PolygonLabels: "polygonlabels",
  RectangleLabels: "rectanglelabels",
} as const;
export type Form = (typeof FORMS)[keyof typeof FORMS];

/** A tag of a labelling interface that shows objects on a picture. */
export interface Control {
  readonly name: string;
  readonly toName: string;
  readonly form: Form;
  readonly labels: readonly string[];
}

/** What matters of a labelling interface. */
export interface LabellingInterface {
  /** The most exact first. */
  readonly controls: readonly Control[];
  /** The field of a task's data that has the picture. */
  readonly imageField: string;
}

/** Deeper than any interface that a person writes. */
const MOST_LEVELS = 50;

function* elementsOf(parent: XmlElement, level = 0): Generator<XmlElement> {
  yield parent;
  if (level === MOST_LEVELS)
    throw new ServiceError("invalid_request", "The labelling interface is nested too deep.");
  for (const child of parent.children) if (child instanceof XmlElement) yield* elementsOf(child, level + 1);
}

/** Reads a labelling interface. @throws ServiceError invalid_request if it is not one, or shows no picture and no masks */
export function readInterface(config: string): LabellingInterface {
  const elements = [...elementsOf(rootOf(config))];
  const image = elements.find(({ name }) => name === "Image");
  const controls = Object.entries(FORMS).flatMap(([tag, form]) =>
    elements.filter(({ name }) => name === tag).map((element) => controlOf(element, form)),
  );
  const imageField = /^\$(\w+)$/.exec(image?.attributes["value"] ?? "")?.[1];
  if (imageField === undefined || controls.length === 0)
    throw new ServiceError(
      "invalid_request",
      "The labelling interface has no Image whose value is a field of the task, or none of BrushLabels, PolygonLabels and RectangleLabels. Add them.",
    );
  return { controls, imageField };
}

function rootOf(config: string): XmlElement {
  try {
    const { root } = parseXml(config, { includeOffsets: false });
    if (root !== null) return root;
  } catch {
    // What it says quotes the text at length.
  }
  throw new ServiceError(
    "invalid_request",
    "label_config: is not XML. Send the project's labelling interface.",
  );
}

function controlOf(element: XmlElement, form: Form): Control {
  const { name = "", toName = "" } = element.attributes;
  const labels = [...elementsOf(element)].flatMap(({ name: tag, attributes }) =>
    tag === "Label" && attributes["value"] ? [attributes["value"]] : [],
  );
  return { name, toName, form, labels };
}
