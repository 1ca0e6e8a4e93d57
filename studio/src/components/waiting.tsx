import "./waiting.css";

/** Says that something is on its way. Shown after a moment only, so that what is quick doesn't flicker. */
export const Waiting = ({ what }: { readonly what: string }) => (
  <div class="waiting" role="status">
    <span class="waiting-dots" aria-hidden="true" />
    {what}
  </div>
);
