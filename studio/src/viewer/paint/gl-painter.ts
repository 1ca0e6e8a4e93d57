import type { Patch } from "../masks/index-map.ts";
import type { PackedMask } from "../masks/packed.ts";
import type { Colour, Size } from "../types.ts";
import type { Painter, Pixels, Scene } from "./painter.ts";
import { FRAGMENT, VERTEX } from "./shader.ts";

/** Half the width of an outline, in CSS pixels. */
const LINE = 1.15;

/** From this zoom on, in device pixels per pixel, pixels are seen as squares and not as a blur. */
const SQUARES_FROM = 4;

/** Colours per row of their texture. */
const COLOURS = 256;

/** A sampler needs a texture of its type, also if no mask is highlighted. */
const NOTHING: PackedMask = { x: 0, y: 0, stride: 1, rows: 1, bits: new Uint8Array(1), area: 0 };

/** Draws with WebGL2, in one pass; while only the view changes, nothing but some numbers is handed over. */
export class GlPainter implements Painter {
  readonly largestSide: number;
  readonly #gl: WebGL2RenderingContext;
  readonly #uniforms: ReadonlyMap<string, WebGLUniformLocation>;
  readonly #textures: readonly WebGLTexture[];
  #size: Size = { width: 1, height: 1 };
  #step = 1;
  #highlighted: PackedMask | null = null;
  #isMipmapped = false;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.largestSide = Number(gl.getParameter(gl.MAX_TEXTURE_SIZE));
    const program = link(gl);
    gl.useProgram(program);
    const names = "size view canvas picture slots colours bits stepSize line opacity box highlight".split(
      " ",
    );
    const locations = names.map((name) => [name, gl.getUniformLocation(program, name)] as const);
    this.#uniforms = new Map(
      locations.filter((each): each is [string, WebGLUniformLocation] => each[1] !== null),
    );
    // Rows of bytes and of 16-bit numbers begin anywhere.
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.#textures = ["picture", "slots", "colours", "bits"].map((name, unit) => {
      gl.uniform1i(this.#at(name), unit);
      return gl.createTexture();
    });
    this.open(this.#size, 1);
    this.colours(new Map());
    this.#highlight(NOTHING);
  }

  open(size: Size, step: number): void {
    const gl = this.#gl;
    this.#size = size;
    this.#step = step;
    this.#highlighted = null;
    // Storage that was made for a size keeps it, so each map gets a texture of its own.
    this.picture(null);
    this.#texture(1);
    const [width, height] = [Math.ceil(size.width / step), Math.ceil(size.height / step)];
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R16UI, width, height, 0, gl.RED_INTEGER, gl.UNSIGNED_SHORT, null);
  }

  picture(pixels: Pixels | null): void {
    const gl = this.#gl;
    this.#texture(0);
    this.#isMipmapped = pixels instanceof ImageBitmap;
    const [format, type] = [gl.RGBA, gl.UNSIGNED_BYTE] as const;
    if (pixels === null) gl.texImage2D(gl.TEXTURE_2D, 0, format, 1, 1, 0, format, type, null);
    else gl.texImage2D(gl.TEXTURE_2D, 0, format, format, type, pixels);
    if (this.#isMipmapped) gl.generateMipmap(gl.TEXTURE_2D);
    this.#filter(this.#isMipmapped ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR, gl.LINEAR);
  }

  patch({ x, y, width, height, slots }: Patch): void {
    const gl = this.#gl;
    this.#texture(1);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, width, height, gl.RED_INTEGER, gl.UNSIGNED_SHORT, slots);
  }

  colours(colours: ReadonlyMap<number, Colour>): void {
    const gl = this.#gl;
    const rows = Math.floor(Math.max(0, ...colours.keys()) / COLOURS) + 1;
    const bytes = new Uint8Array(COLOURS * rows * 4);
    for (const [slot, { rgb }] of colours) bytes.set(rgb, slot * 4);
    this.#texture(2);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, COLOURS, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  }

  paint({ view, ratio, opacity, highlighted }: Scene): void {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    const scale = view.scale * ratio;
    this.#highlight(highlighted?.mask ?? null);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.#at("size"), this.#size.width, this.#size.height);
    gl.uniform3f(this.#at("view"), scale, view.x * ratio, view.y * ratio);
    gl.uniform2f(this.#at("canvas"), width, height);
    gl.uniform1f(this.#at("stepSize"), this.#step);
    gl.uniform1f(this.#at("line"), LINE / view.scale);
    gl.uniform1f(this.#at("opacity"), opacity);
    const [red = 0, green = 0, blue = 0] = highlighted?.colour.rgb ?? [];
    gl.uniform3f(this.#at("highlight"), red / 255, green / 255, blue / 255);
    const mask = highlighted?.mask;
    gl.uniform4i(this.#at("box"), mask?.x ?? 0, mask?.y ?? 0, mask?.stride ?? 0, mask?.rows ?? 0);
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

  #at(name: string): WebGLUniformLocation | null {
    return this.#uniforms.get(name) ?? null;
  }
}

/** @throws Error with the compiler's words, if the shaders are refused and the context is not lost */
function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
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
