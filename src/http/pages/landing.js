// Moves the edge between the two pictures.
for (const figure of document.querySelectorAll(".before-after"))
  figure
    .querySelector("input")
    .addEventListener("input", ({ target }) => figure.style.setProperty("--at", target.value + "%"));
