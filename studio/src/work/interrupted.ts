import { signal } from "@preact/signals";

const NAME = "studio.sending";

/** How many files were on their way when this tab was reloaded or closed; 0 if none. They are not there any more. */
export const interrupted = signal(Number(sessionStorage.getItem(NAME) ?? 0));
sessionStorage.removeItem(NAME);

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Does something that a reload would cut off: the browser asks first, and the tab remembers that it was so. */
export async function uninterrupted<T>(files: number, act: () => Promise<T>): Promise<T> {
  interrupted.value = 0;
  sessionStorage.setItem(NAME, String(files));
  addEventListener("beforeunload", warn);
  try {
    return await act();
  } finally {
    removeEventListener("beforeunload", warn);
    sessionStorage.removeItem(NAME);
  }
}
