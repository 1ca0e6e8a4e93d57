/** Makes the "Copy" buttons work. */
export const COPY_SCRIPT = `for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
`;

/** Returns a person's picture, with the initial of the name. */
export const portrait = (initial: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="32" fill="#2457c5"/>` +
  `<text x="32" y="43" font-family="sans-serif" font-size="32" fill="#fff" text-anchor="middle">${initial}</text></svg>`;
