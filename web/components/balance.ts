/**
 * Double entry as a picture: each line left of the axis has an equal line on the right, mirrored vertically, so both
 * sides balance. Geometry only, drawn by balance-drawing.tsx and tools/pictures.ts.
 */

const LINES = 53
/** Distance between lines. */
const LEADING = 10
const MIDDLE = 300
/** The highlighted entry. */
const SHOWN = 20

/** Length of a line: a slow swell with a ripple. */
function reach(line: number): number {
  const at = line / (LINES - 1)
  return Math.round(46 + 210 * Math.sin(Math.PI * at) ** 2 * (0.62 + 0.38 * Math.sin(at * 19 + 0.6)))
}

const y = (line: number) => 14.5 + line * LEADING
const opposite = (line: number) => LINES - 1 - line
const toLeft = (line: number) => `M${MIDDLE - 5} ${y(line)}h${-reach(line)}`
const toRight = (line: number) => `M${MIDDLE + 5} ${y(line)}h${reach(opposite(line))}`
const places = Array.from({ length: LINES }, (_, line) => line)

export const balance = {
  width: 600,
  height: 28 + (LINES - 1) * LEADING,
  left: places.map(toLeft).join(''),
  right: places.map(toRight).join(''),
  entry: {
    lines: toLeft(SHOWN) + toRight(opposite(SHOWN)),
    link: `M${MIDDLE} ${y(SHOWN)}V${y(opposite(SHOWN))}`,
    ends: [
      { cx: MIDDLE - 5 - reach(SHOWN), cy: y(SHOWN) },
      { cx: MIDDLE + 5 + reach(SHOWN), cy: y(opposite(SHOWN)) },
    ],
  },
} as const
