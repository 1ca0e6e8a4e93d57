import type { Box } from "@segmentation/masks";
import type { Patch, Rect } from "../masks/index-map.ts";
import type { PackedMask } from "../masks/packed.ts";
import type { Colour, Point, Size } from "../types.ts";
import type { Painter, Pixels, Scene } from "./painter.ts";
import { CachedFrame, within, without } from "./cached-frame.ts";
import { type Contents, fragmentOf, VERTEX } from "./shader.ts";

/** Half the width of an outline: in CSS pixels, and at least in pixels of the picture, to smooth their stairs up to a zoom. */
const LINE = { screen: 1.6, picture: 0.7, upTo: 3 } as const;

/** From this zoom on, in device pixels per pixel, pixels are seen as squares and not as a blur. */
const SQUARES_FROM = 4;

/** Strength of the others while one mask is highlighted. */
const STEPPED_BACK = 0.4;

/** Colors per row of their texture. */
const COLOURS = 256;

/** The samplers, each at its texture's unit. */
const TEXTURES = ["picture", "indexes", "colours", "bits"] as const;

/** A linked program and where its uniforms are; null of those that it has no use for. */
interface Program {
  readonly program: WebGLProgram;
  readonly uniforms: (name: string) => WebGLUniformLocation | null;
}

/** A sampler needs a texture of its type, even if no mask is highlighted. */
const NOTHING: PackedMask = { x: 0, y: 0, stride: 1, rows: 1, bits: new Uint8Array(1), area: 0 };

/** Draws with WebGL2. While only the place of the picture or some masks change, only those masks and newly visible parts are drawn. */
export class GlPainter implements Painter {
  readonly largestSide: number;
  readonly #gl: WebGL2RenderingContext;
  readonly #programs = new Map<Contents, Program>();
  readonly #textures: readonly WebGLTexture[];
  readonly #frame: CachedFrame;
  #size: Size = { width: 1, height: 1 };
  #step = 1;
  #hasMasks = false;
  #highlighted: PackedMask | null = null;
  #isMipmapped = false;
  /** Scene of the cached frame; null if it is out of date. */
  #shown: Scene | null = null;
  /** Part of the picture, in its pixels, whose masks have changed since the cached frame was drawn. */
  #changed: Rect | null = null;
  #colours: ReadonlyMap<number, Colour> = new Map();

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.largestSide = Number(gl.getParameter(gl.MAX_TEXTURE_SIZE));
    this.#frame = new CachedFrame(gl);
    // Rows of bytes and of 16-bit numbers begin anywhere.
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.#textures = TEXTURES.map(() => gl.createTexture());
    this.open(this.#size, 1);
    this.colours(new Map());
    this.#highlight(NOTHING);
  }

  open(size: Size, step: number): void {
    const gl = this.#gl;
    this.#size = size;
    this.#step = step;
    this.#hasMasks = false;
    this.picture(null);
    this.#texture(1);
    const [width, height] = [Math.ceil(size.width / step), Math.ceil(size.height / step)];
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R16UI, width, height, 0, gl.RED_INTEGER, gl.UNSIGNED_SHORT, null);
  }

  picture(pixels: Pixels | null): void {
    const gl = this.#gl;
    this.#shown = null;
    this.#texture(0);
    this.#isMipmapped = pixels instanceof ImageBitmap;
    const [format, type] = [gl.RGBA, gl.UNSIGNED_BYTE] as const;
    if (pixels === null) gl.texImage2D(gl.TEXTURE_2D, 0, format, 1, 1, 0, format, type, null);
    else gl.texImage2D(gl.TEXTURE_2D, 0, format, format, type, pixels);
    if (this.#isMipmapped) gl.generateMipmap(gl.TEXTURE_2D);
    this.#filter(this.#isMipmapped ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR, gl.LINEAR);
  }

  patch({ x, y, width, height, indexes }: Patch): void {
    const gl = this.#gl;
    // Of two changes at once all is drawn.
    if (this.#changed !== null) this.#shown = null;
    const step = this.#step;
    this.#changed = { x: x * step, y: y * step, width: width * step, height: height * step };
    this.#hasMasks = true;
    this.#texture(1);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, width, height, gl.RED_INTEGER, gl.UNSIGNED_SHORT, indexes);
  }

  colours(colours: ReadonlyMap<number, Colour>): void {
    const gl = this.#gl;
    // An index that is new, or of no mask any more, is seen when the map changes.
    for (const [index, { rgb }] of this.#colours)
      if (colours.get(index)?.rgb.some((byte, i) => byte !== rgb[i])) this.#shown = null;
    this.#colours = colours;
    const rows = Math.floor(Math.max(0, ...colours.keys()) / COLOURS) + 1;
    const bytes = new Uint8Array(COLOURS * rows * 4);
    for (const [index, { rgb }] of colours) bytes.set(rgb, index * 4);
    this.#texture(2);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, COLOURS, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  }

  paint(scene: Scene): void {
    const { view, ratio, highlighted } = scene;
    // On whole device pixels, so that a frame that moves stays the same.
    const at = corner(scene);
    this.#highlight(highlighted?.mask ?? null);
    const draw = (area: Box): void => this.#draw(scene, at, area);
    const [shown, changed] = [this.#shown, this.#changed];
    this.#shown = scene;
    this.#changed = null;
    if (
      shown === null ||
      shown.view.scale !== view.scale ||
      shown.ratio !== ratio ||
      shown.opacity !== scene.opacity ||
      shown.highlighted?.mask !== highlighted?.mask
    )
      return this.#frame.redraw(draw);
    const from = corner(shown);
    const box = changed && boxOf(changed, scene, at, this.#gl.drawingBufferHeight);
    this.#frame.move(at.x - from.x, from.y - at.y, box, draw);
  }

  /** Draws an area. The highlight costs most: it is drawn only in its own box. */
  #draw(scene: Scene, at: Point, area: Box): void {
    const gl = this.#gl;
    const { highlighted } = scene;
    if (!this.#hasMasks) return this.#drawAll(scene, at, "picture");
    if (highlighted === null) return this.#drawAll(scene, at, "masks");
    const { x, y, stride, rows } = highlighted.mask;
    const extent = { x, y, width: stride * 8, height: rows };
    const box = within(area, boxOf(extent, scene, at, gl.drawingBufferHeight));
    const isSeen = box[2] > 0 && box[3] > 0;
    for (const rest of isSeen ? without(area, box) : [area]) {
      gl.scissor(...rest);
      this.#drawAll(scene, at, "masks");
    }
    if (!isSeen) return;
    gl.scissor(...box);
    this.#drawAll(scene, at, "highlight");
  }

  /** Draws the area that the scissors leave. */
  #drawAll({ view, ratio, opacity, highlighted }: Scene, at: Point, contents: Contents): void {
    const gl = this.#gl;
    const program = this.#program(contents);
    gl.useProgram(program.program);
    const scale = view.scale * ratio;
    const { uniforms } = program;
    gl.uniform2f(uniforms("size"), this.#size.width, this.#size.height);
    gl.uniform3f(uniforms("view"), scale, at.x, at.y);
    gl.uniform2f(uniforms("canvas"), gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.uniform1f(uniforms("stepSize"), this.#step);
    gl.uniform1f(uniforms("line"), lineAt(view.scale));
    gl.uniform1f(uniforms("opacity"), opacity);
    gl.uniform1f(uniforms("strength"), highlighted === null ? 1 : STEPPED_BACK);
    const [red = 0, green = 0, blue = 0] = highlighted?.colour.rgb ?? [];
    gl.uniform3f(uniforms("highlight"), red / 255, green / 255, blue / 255);
    const mask = highlighted?.mask ?? NOTHING;
    gl.uniform4i(uniforms("box"), mask.x, mask.y, mask.stride, mask.rows);
    gl.activeTexture(gl.TEXTURE0);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, scale >= SQUARES_FROM ? gl.NEAREST : gl.LINEAR);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  close(): void {
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  /** Hands over the pixels of another highlighted mask, packed as they are. */
  #highlight(mask: PackedMask | null): void {
    if (mask === this.#highlighted) return;
    this.#highlighted = mask;
    if (mask === null || mask.rows === 0) return;
    const gl = this.#gl;
    this.#texture(3);
    const { stride, rows, bits } = mask;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8UI, stride, rows, 0, gl.RED_INTEGER, gl.UNSIGNED_BYTE, bits);
  }

  #texture(unit: number): void {
    const gl = this.#gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, this.#textures[unit] ?? null);
    this.#filter(gl.NEAREST, gl.NEAREST);
  }

  #filter(smaller: number, larger: number): void {
    const gl = this.#gl;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, smaller);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, larger);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  }

  #program(contents: Contents): Program {
    const known = this.#programs.get(contents);
    if (known !== undefined) return known;
    const gl = this.#gl;
    const program = link(gl, fragmentOf(contents));
    const locations = new Map<string, WebGLUniformLocation | null>();
    const uniforms = (name: string): WebGLUniformLocation | null => {
      if (!locations.has(name)) locations.set(name, gl.getUniformLocation(program, name));
      return locations.get(name) ?? null;
    };
    gl.useProgram(program);
    for (const [unit, name] of TEXTURES.entries()) gl.uniform1i(uniforms(name), unit);
    this.#programs.set(contents, { program, uniforms });
    return { program, uniforms };
  }
}

/** Position of the picture's corner on the canvas, in whole device pixels. */
const corner = ({ view, ratio }: Scene): Point => ({
  x: Math.round(view.x * ratio),
  y: Math.round(view.y * ratio),
});

/** Returns the box of the canvas that shows a rectangle of the picture, with outlines. */
function boxOf({ x, y, width, height }: Rect, { view, ratio }: Scene, at: Point, canvasHeight: number): Box {
  const scale = view.scale * ratio;
  const margin = 1.5 * lineAt(view.scale) + 1;
  const left = Math.floor(at.x + (x - margin) * scale);
  const right = Math.ceil(at.x + (x + width + margin) * scale);
  const top = Math.floor(at.y + (y - margin) * scale);
  const bottom = Math.ceil(at.y + (y + height + margin) * scale);
  return [left, canvasHeight - bottom, right - left, bottom - top];
}

function lineAt(scale: number): number {
  return Math.max(LINE.screen / scale, scale < LINE.upTo ? LINE.picture : 0);
}

/** @throws Error with the compiler's words, if the shaders are refused and the context is not lost */
function link(gl: WebGL2RenderingContext, fragment: string): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(type);
    if (shader === null) continue;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(`The shaders don't compile: ${gl.getProgramInfoLog(program) ?? ""}`);
  return program;
}
