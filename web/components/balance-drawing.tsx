import { balance } from './balance.ts'
import { Drawing } from './drawing.tsx'

const { width, height, left, right, entry } = balance

/** Double entry as a picture (balance.ts). */
export function BalanceDrawing({ className }: { className?: string }) {
  return (
    <Drawing viewBox={`0 0 ${width} ${height}`} className={className}>
      <path className="text-ink" d={left} />
      <path className="text-ink-faint" d={right} />
      <g className="text-accent" strokeWidth="2.5">
        <path d={entry.lines} />
        <g fill="currentColor" stroke="none">
          {entry.ends.map(end => (
            <circle key={end.cx} {...end} r="5" />
          ))}
        </g>
        <path strokeWidth="1" strokeDasharray="2 4" d={entry.link} />
      </g>
    </Drawing>
  )
}
