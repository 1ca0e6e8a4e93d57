import { Dialog } from "../../../components/dialogs/dialog.tsx";
import "./key-sheet.css";

const KEYS: readonly { readonly of: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    of: "The picture",
    keys: [
      ["+ − 0 Z", "zoom in, zoom out, fit, 100%"],
      ["Space", "held down, dragging moves the picture"],
      ["Arrows", "move the picture, or the crosshair of the tool; Shift: farther"],
      ["V P D E", "move, point, brush, eraser"],
      ["?", "these keys"],
    ],
  },
  {
    of: "Point",
    keys: [
      ["Enter", "a point at the crosshair; Shift adds a part, Alt removes one"],
      ["B", "a box from here; arrows and Enter end it"],
      ["Esc", "cancels the box, then the crosshair"],
      ["Ctrl Enter", "keeps the new objects; without a crosshair, Enter does"],
    ],
  },
  {
    of: "Brush and eraser",
    keys: [
      ["Enter", "a dot at the crosshair"],
      ["B", "a stroke from here; arrows and Enter end it"],
      ["[ ]", "smaller, larger"],
    ],
  },
  {
    of: "Changes",
    keys: [
      ["Ctrl Z", "undo"],
      ["Ctrl Shift Z", "redo; a point or a box is another job"],
      ["Delete", "deletes what is selected: click a mask, drag with Ctrl, Ctrl- or Shift-click in the list"],
      ["1 … 9", "a class for the selected objects, or else for the next one that is pointed at"],
    ],
  },
  {
    of: "Review of a batch",
    keys: [
      ["A", "accept, and the next one"],
      ["X", "reject, so that exports leave it out, and the next one"],
      ["N", "the next one that is not reviewed; Shift: the one before"],
      ["Ctrl Space", "selects a picture of the gallery; Shift Space: up to there; Esc: none"],
      ["A X Delete", "in the gallery: accept or reject what is selected, or else the focused picture"],
    ],
  },
];

/** All keys of the workbench, in a dialog. */
export const KeySheet = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <div class="key-sheet" tabIndex={0} role="region" aria-label="All keys">
      {KEYS.map(({ of, keys }) => (
        <section key={of}>
          <h3>{of}</h3>
          <dl>
            {keys.map(([key, does]) => (
              <div key={key}>
                <dt>
                  {key.split(" ").map((each) => (
                    <kbd key={each}>{each}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
);
