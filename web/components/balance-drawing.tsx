import { Drawing } from './drawing.tsx'

const LINES = 53
/** Between the lines of the balance, in units of its view box. */
const LEADING = 10
const MIDDLE = 300

/** How far the line at this place reaches to the left: a slow swell with a ripple on it. */
function reach(line: number): number {
  const at = line / (LINES - 1)
  return Math.round(46 + 210 * Math.sin(Math.PI * at) ** 2 * (0.62 + 0.38 * Math.sin(at * 19 + 0.6)))
}

/**
 * Double entry as a picture: what every line takes at the left of the axis comes to another line at its right, as long,
 * in the opposite place. So the two sides are level, whatever their shape.
 */
export function BalanceDrawing({ className }: { className?: string }) {
  const places = Array.from({ length: LINES }, (_, line) => line)
  const y = (line: number) => 14.5 + line * LEADING
  const opposite = (line: number) => LINES - 1 - line
  const shown = 20
  return (
    <Drawing viewBox={`0 0 600 ${28 + (LINES - 1) * LEADING}`} className={className}>
      <path
        className="text-ink"
        d={places.map(line => `M${MIDDLE - 5} ${y(line)}h${-reach(line)}`).join('')}
      />
      <path
        className="text-ink-faint"
        d={places.map(line => `M${MIDDLE + 5} ${y(line)}h${reach(opposite(line))}`).join('')}
      />
      <g className="text-accent" strokeWidth="2.5">
        <path d={`M${MIDDLE - 5} ${y(shown)}h${-reach(shown)}`} />
        <path d={`M${MIDDLE + 5} ${y(opposite(shown))}h${reach(shown)}`} />
        <g fill="currentColor" stroke="none">
          <circle cx={MIDDLE - 5 - reach(shown)} cy={y(shown)} r="5" />
          <circle cx={MIDDLE + 5 + reach(shown)} cy={y(opposite(shown))} r="5" />
        </g>
        <path strokeWidth="1" strokeDasharray="2 4" d={`M${MIDDLE} ${y(shown)}V${y(opposite(shown))}`} />
      </g>
    </Drawing>
  )
}
