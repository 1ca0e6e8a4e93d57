/** The pages' style. */
export const STYLE = `:root { color-scheme: light dark; --accent: #2457c5; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 0.5rem; }
label, input { display: block; margin: 0.5rem 0; }
input { font: inherit; padding: 0.5rem; width: min(24rem, 100%); box-sizing: border-box; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid #8885; border-radius: 0.4rem; max-height: 12rem; }
button, .button { font: inherit; padding: 0.4rem 1rem; border: 0; border-radius: 0.4rem; cursor: pointer;
  background: var(--accent); color: #fff; text-decoration: none; display: inline-block; }
[role="alert"] { color: #c0392b; }
footer { margin-top: 3rem; font-size: 0.85rem; opacity: 0.7; }
`;

/** Makes the "Copy" buttons work. */
export const COPY_SCRIPT = `for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
`;

/** A person's picture, with the initial of the name. */
export const portrait = (initial: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="32" fill="#2457c5"/>` +
  `<text x="32" y="43" font-family="sans-serif" font-size="32" fill="#fff" text-anchor="middle">${initial}</text></svg>`;
