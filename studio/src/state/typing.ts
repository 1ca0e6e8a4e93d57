/** Whether a key goes to a field that takes text, or to a dialog or menu in front of the screen, and so is no shortcut. */
export function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  const isField =
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !["range", "checkbox", "radio"].includes(target.type));
  return isField || target.closest("dialog, [role=menu]") !== null;
}
