/** Places the picture's rectangle on the canvas. */
export const VERTEX = `#version 300 es
uniform vec2 size;      // of the picture, in its pixels
uniform vec3 view;      // device pixels per pixel of the picture, and where its corner is
uniform vec2 canvas;    // device pixels
out vec2 at;            // in pixels of the picture
void main() {
  at = size * vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 there = (at * view.x + view.yz) / canvas * 2. - 1.;
  gl_Position = vec4(there.x, -there.y, 0, 1);
}`;

/** Contents of a frame: a picture alone, with masks, or with one of them highlighted as well. */
export type Contents = "picture" | "masks" | "highlight";

/** The shader of each pixel. Programs differ, because graphics by software run both sides of a branch. */
export const fragmentOf = (contents: Contents): string =>
  `#version 300 es\n#define ${contents === "highlight" ? "MASKS\n#define HIGHLIGHT" : contents.toUpperCase()}${FRAGMENT}`;

/**
 * The picture, the fill of the topmost mask, and its outline: a line of some pixels of the screen at each zoom. Samples a ring around each place to decide how much it is on an outline: at an edge, half of the samples are in the mask.
 */
const FRAGMENT = `
precision highp float;
precision highp int;
precision highp usampler2D;
in vec2 at;
uniform vec2 size;
uniform sampler2D picture;
uniform usampler2D indexes;
uniform sampler2D colours;
uniform usampler2D bits;
uniform float stepSize;     // pixels of the picture per pixel of the index map
uniform float line;         // half the width of an outline, in pixels of the picture
uniform float opacity;
uniform float strength;     // of masks that are not highlighted, 0 to 1
uniform ivec4 box;          // of the highlighted mask: x, y, bytes per row, rows
uniform vec3 highlight;     // its colour
out vec4 colour;

const vec2 DIAGONAL = vec2(.707, .707);

vec2 near(vec2 p) { return clamp(p, vec2(0), size - .5); }

uint indexAt(vec2 p) { return texelFetch(indexes, ivec2(near(p) / stepSize), 0).r; }

bool isHighlighted(vec2 p) {
  ivec2 q = ivec2(near(p)) - box.xy;
  if (q.x < 0 || q.y < 0 || q.x >= box.z * 8 || q.y >= box.w) return false;
  return (texelFetch(bits, ivec2(q.x >> 3, q.y), 0).r & (128u >> (q.x & 7))) != 0u;
}

// Lays a mask over the color; of the places around, "inside" (0 to 1) are in it.
void lay(vec3 tint, vec3 stroke, float inside, float fill, float edge) {
  // Masks are visible even where there is no picture.
  colour = mix(colour, vec4(tint, 1), fill * smoothstep(.3, .7, inside));
  // A dark line outside the colored one lets it be seen on any picture.
  colour.rgb *= 1. - edge * .5 * smoothstep(0., .2, inside) * (1. - smoothstep(.3, .5, inside));
  colour = mix(colour, vec4(stroke, 1), edge * smoothstep(.25, .5, inside) * (1. - smoothstep(.75, 1., inside)));
}

// How many of four places around are in a mask: the other three are quarter turns of the first.
float indexesAround(uint index, vec2 d) {
  vec2 e = vec2(-d.y, d.x);
  return float(indexAt(at + d) == index) + float(indexAt(at - d) == index)
    + float(indexAt(at + e) == index) + float(indexAt(at - e) == index);
}

float bitsAround(vec2 d) {
  vec2 e = vec2(-d.y, d.x);
  return float(isHighlighted(at + d)) + float(isHighlighted(at - d))
    + float(isHighlighted(at + e)) + float(isHighlighted(at - e));
}

vec3 tintOf(uint index) { return texelFetch(colours, ivec2(index & 255u, index >> 8), 0).rgb; }

void main() {
  colour = texture(picture, at / size);
  vec4 bare = colour;
#ifdef MASKS
  float visible = min(1., opacity * 3.);

  uint here = indexAt(at);
  uint left = indexAt(at - vec2(line, 0)), right = indexAt(at + vec2(line, 0));
  uint above = indexAt(at - vec2(0, line)), below = indexAt(at + vec2(0, line));
  if (left != here || right != here || above != here || below != here) {
    uint index = here != 0u ? here : left != 0u ? left : right != 0u ? right : above != 0u ? above : below;
    float inside = 2. * float(here == index) + float(left == index) + float(right == index)
      + float(above == index) + float(below == index)
      + indexesAround(index, DIAGONAL * line) + indexesAround(index, vec2(line * .5, 0))
      + indexesAround(index, DIAGONAL * line * .5);
    vec3 tint = tintOf(index);
    lay(tint, mix(tint, vec3(1), .15), inside / 18., opacity * strength, visible * strength);
  } else if (here != 0u) {
    colour = mix(colour, vec4(tintOf(here), 1), opacity * strength);
  }

#endif

#ifdef HIGHLIGHT
  float inside = 2. * float(isHighlighted(at))
    + bitsAround(vec2(line * 1.5, 0)) + bitsAround(DIAGONAL * line * 1.5)
    + bitsAround(vec2(line * .75, 0)) + bitsAround(DIAGONAL * line * .75);
  // It lies on the picture, not on masks that would otherwise be above it.
  colour = mix(colour, bare, smoothstep(.3, .7, inside));
  if (inside > 0.) lay(highlight, mix(highlight, vec3(1), .7), inside / 18., min(1., opacity * 1.1), 1.);
#endif
}`;
