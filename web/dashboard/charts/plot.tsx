import { bisectCenter } from 'd3-array'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useAmountsHidden } from '#web/components/hidden-amounts.ts'
import { moneyAxis } from '#web/components/money-axis.ts'

export const smallText = 'fill-ink-faint text-xs tabular-nums'

/** Choice of a point by pointer, finger or arrow keys. */
export type Choosing = {
  /** Undefined: none; the last point is described. */
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
  label: string
  /** The chosen point in words. */
  value: string
}

/** Positions of the points and the money axis. */
export type Drawn = { xs: number[]; axis: ReturnType<typeof moneyAxis>; width: number; height: number }

type FrameProps = Choosing & {
  count: number
  /** Largest amount, in cents. */
  top: number
  /** Space right of the last point, in pixels. */
  right: number
  /** Positions of the points for a width in pixels. */
  at: (width: number) => number[]
  children: (drawn: Drawn) => ReactNode
}

const margin = { top: 18, bottom: 24 }
/** Width of a digit on the axis, in pixels. */
const figureWidth = 7.5
/** Points that Page Up and Page Down skip. */
const page = 10

/** A chart with a money axis, scaled to its space, with points to choose. */
export function Plot({ count, chosen, onChoose, label, value, top, right, at, children }: FrameProps) {
  const box = useRef<HTMLDivElement>(null)
  const size = useSize(box)
  const hidden = useAmountsHidden()
  const height = Math.max(size.height - margin.top - margin.bottom, 1)
  const axis = moneyAxis(BigInt(top), height)
  const left = 8 + figureWidth * Math.max(...axis.ticks.map(({ words }) => words.length))
  const width = Math.max(size.width - left - right, 1)
  const xs = at(width)

  function point({ clientX, currentTarget }: PointerEvent) {
    onChoose(bisectCenter(xs, clientX - currentTarget.getBoundingClientRect().left - left))
  }

  function press(event: KeyboardEvent) {
    const next = nextPoint(event.key, chosen ?? count - 1, count)
    if (next === undefined) return
    event.preventDefault()
    onChoose(next)
  }

  return (
    <div
      ref={box}
      // Time runs from left to right in every language, as on other charts of money.
      dir="ltr"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={(chosen ?? count - 1) + 1}
      aria-valuetext={value}
      onKeyDown={press}
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={event => event.pointerType === 'mouse' && onChoose(undefined)}
      className="min-h-0 touch-pan-y select-none"
    >
      {size.width > 0 && (
        <svg aria-hidden="true" width={size.width} height={size.height} className="block">
          <g transform={`translate(${left} ${margin.top})`}>
            {axis.ticks.map(({ y, words }) => (
              <g key={words}>
                <path d={`M0 ${y}h${width}`} className={y === height ? 'stroke-edge' : 'stroke-rule'} />
                <text x={-8} y={y} dy="0.35em" textAnchor="end" className={smallText}>
                  {hidden ? '••••' : words}
                </text>
              </g>
            ))}
            {children({ xs, axis, width, height })}
          </g>
        </svg>
      )}
    </div>
  )
}

function nextPoint(key: string, from: number, count: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -page,
    PageUp: page,
    Home: -count,
    End: count,
  }
  const step = steps[key]
  return step === undefined ? undefined : Math.min(Math.max(from + step, 0), count - 1)
}

/** Size of an element, measured before painting. */
function useSize(element: { current: HTMLElement | null }) {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    const measure = () => setSize({ width: box.clientWidth, height: box.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [element])
  return size
}
