/** A reference to a field of a task's data within an attribute, as Label Studio recognizes it. */
const REFERENCE = /\$[\w[\].{}]+/g;

/** Returns the field at a path such as `meta.images[0]`. A field whose name is the whole path wins. */
function fieldAt(data: object, path: string): unknown {
  let value: unknown = data;
  for (const name of Object.hasOwn(data, path) ? [path] : (path.match(/[^.[\]]+/g) ?? [])) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return value;
}

/**
 * Returns the value of a tag's attribute for a task: `$meta.image` is the field itself, and references within a string, as in
 * `https://cdn.example/$key`, become their fields' values. Undefined if a field is missing.
 */
export function valueOf(attribute: string, data: object): unknown {
  if (attribute.match(REFERENCE)?.[0] === attribute) return fieldAt(data, attribute.slice(1));
  let isComplete = true;
  const text = attribute.replaceAll(REFERENCE, (reference) => {
    const field = fieldAt(data, reference.slice(1));
    isComplete &&= typeof field === "string" || typeof field === "number";
    return String(field);
  });
  return isComplete ? text : undefined;
}
