import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { ServiceError } from "../../shared/errors.ts";
import { quoted } from "../../http/strict-json.ts";
import { valueOf } from "./value.ts";

/** The forms of an object in an answer, the most exact first. */
const FORMS = ["brush", "polygon", "rectangle"] as const;
type Form = (typeof FORMS)[number];

const TAGS = { brush: "Brush", polygon: "Polygon", rectangle: "Rectangle" } as const satisfies Record<
  Form,
  string
>;

/** A tag of a labeling interface that shows objects on a picture: `BrushLabels`, or `Brush` with the labels of `Labels`. */
export interface Control {
  readonly name: string;
  readonly toName: string;
  readonly form: Form;
  /** The tag that has the labels: the control, or a `Labels`. */
  readonly labelsName: string;
  readonly labels: readonly string[];
  /** The attribute that names further labels in the task's data; null without one. */
  readonly dynamicLabels: string | null;
}

/** The relevant parts of a labeling interface. */
export interface LabellingInterface {
  /** The most exact first. */
  readonly controls: readonly Control[];
  /** The attribute that names the picture in the task's data. */
  readonly image: string;
}

/** Deeper than any interface that a person writes. */
const MOST_LEVELS = 50;

function* elementsOf(parent: XmlElement, level = 0): Generator<XmlElement> {
  yield parent;
  if (level === MOST_LEVELS)
    throw new ServiceError("invalid_request", "The labeling interface is nested too deep.");
  for (const child of parent.children) if (child instanceof XmlElement) yield* elementsOf(child, level + 1);
}

/** Reads a labeling interface. @throws ServiceError invalid_request if it is not one, or shows no picture or no masks */
export function readInterface(config: string): LabellingInterface {
  const elements = [...elementsOf(rootOf(config))];
  const labels = elements.find(({ name }) => name === "Labels");
  const controls = FORMS.flatMap((form) =>
    elements.flatMap((element) => {
      if (element.name === `${TAGS[form]}Labels`) return [controlOf(element, form, element)];
      return element.name === TAGS[form] && labels !== undefined ? [controlOf(element, form, labels)] : [];
    }),
  );
  const image = elements.find(({ name }) => name === "Image")?.attributes["value"] ?? "";
  if (!image.includes("$"))
    throw new ServiceError(
      "invalid_request",
      'The labeling interface has no <Image> whose value names a field of the task, such as value="$image". Add one.',
    );
  if (controls.length === 0)
    throw new ServiceError(
      "invalid_request",
      "The labeling interface has no tag that shows objects: BrushLabels, PolygonLabels or RectangleLabels, or Labels with Brush, Polygon or Rectangle. Add one.",
    );
  return { controls, image };
}

function rootOf(config: string): XmlElement {
  try {
    const { root } = parseXml(config, { includeOffsets: false });
    if (root !== null) return root;
  } catch {
    // The error quotes the interface at length.
  }
  throw new ServiceError(
    "invalid_request",
    "label_config: is not XML. Send the project's labeling interface.",
  );
}

function controlOf(element: XmlElement, form: Form, labels: XmlElement): Control {
  const { name = "", toName = "" } = element.attributes;
  const { name: labelsName = "", value = "" } = labels.attributes;
  const named = [...elementsOf(labels)].flatMap(({ name: tag, attributes }) =>
    tag === "Label" && attributes["value"] ? [attributes["value"]] : [],
  );
  return { name, toName, form, labelsName, labels: named, dynamicLabels: value.includes("$") ? value : null };
}

/** Returns the controls with their labels for a task. @throws ServiceError invalid_request if there are none */
export function controlsFor(controls: readonly Control[], data: object): readonly Control[] {
  const ofTask = controls.map((control) => {
    const { labels, dynamicLabels } = control;
    const listed = dynamicLabels === null ? [] : valueOf(dynamicLabels, data);
    const own = labels.map((label) => (label.includes("$") ? (valueOf(label, data) ?? label) : label));
    return { ...control, labels: [...own, ...(Array.isArray(listed) ? listed : [])].flatMap(labelIn) };
  });
  if (ofTask.some(({ labels }) => labels.length > 0)) return ofTask;
  const field = controls.find(({ dynamicLabels }) => dynamicLabels !== null)?.dynamicLabels;
  throw new ServiceError(
    "invalid_request",
    field === undefined || field === null
      ? 'The labeling interface has no labels. Add tags such as <Label value="cup"/>.'
      : `A task has no labels in the field that value=${quoted(field)} names. Add a list of objects such as {"value": "cup"} to its data.`,
  );
}

/** Returns the label of an item in a task's list: a string, or the `value` of an object; otherwise the empty string. */
function labelIn(item: unknown): string[] {
  const value = typeof item === "object" && item !== null && "value" in item ? item.value : item;
  return typeof value === "string" && value !== "" ? [value] : [];
}
