import { config } from "../state/config.ts";
import "./brand.css";

/** The mark: half outline, half mask. */
const Mark = () => (
  <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M16 4a12 12 0 0 1 0 24z" fill="currentColor" />
    <circle
      cx="16"
      cy="16"
      r="12"
      fill="none"
      stroke="currentColor"
      stroke-width="2.5"
      stroke-dasharray="4.2 3.34"
    />
  </svg>
);

/** The operator's name, with a logo or the studio's mark; a link to the first page. */
export function Brand() {
  const { name, logoUrl } = config.value;
  return (
    <a class="brand" href="/studio">
      {logoUrl === null ? <Mark /> : <img class="brand-mark" src={logoUrl} alt="" />}
      <span>{name}</span>
    </a>
  );
}
