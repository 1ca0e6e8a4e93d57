import { signal } from "@preact/signals";

const STEP_MS = 20_000;

/** The time (epoch ms) by which the screens say how long ago something was; it goes on while somebody looks. */
export const now = signal(Date.now());

const tell = (): void => {
  if (document.visibilityState === "visible") now.value = Date.now();
};
setInterval(tell, STEP_MS);
document.addEventListener("visibilitychange", tell);
