import type { ReactNode } from 'react'
import { Drawing } from '#web/components/drawing.tsx'

type Solid = {
  /** The corner that is farthest from the eye, on the ground plan. */
  x: number
  y: number
  /** Height above the ground at which it stands. */
  z?: number
  width: number
  depth: number
  height: number
  accent?: boolean
  /** Lines across its two walls. */
  floors?: number
}

/** Isometric projection: x to the lower right, y to the lower left, z up. */
function project(x: number, y: number, z: number): string {
  return `${(160 + (x - y) * 0.866).toFixed(1)} ${(96 + (x + y) * 0.5 - z).toFixed(1)}`
}

function SolidDrawing({ x, y, z = 0, width, depth, height, accent = false, floors = 0 }: Solid) {
  const [right, left, top] = [x + width, y + depth, z + height]
  const face = (...corners: string[]) => `M${corners.join('L')}Z`
  const level = (at: number) =>
    `M${project(x, left, at)}L${project(right, left, at)}L${project(right, y, at)}`
  const levels = Array.from({ length: floors }, (_, floor) => z + ((floor + 1) * height) / (floors + 1))
  return (
    <g className={accent ? 'text-accent' : 'text-ink-soft'}>
      <path
        fill={accent ? 'var(--accent-soft)' : 'var(--surface)'}
        d={face(project(x, y, top), project(right, y, top), project(right, left, top), project(x, left, top))}
      />
      <path
        fill="var(--paper)"
        d={face(
          project(x, left, z),
          project(right, left, z),
          project(right, left, top),
          project(x, left, top),
        )}
      />
      <path
        fill={accent ? 'var(--accent)' : 'var(--sunken)'}
        d={face(
          project(right, y, z),
          project(right, left, z),
          project(right, left, top),
          project(right, y, top),
        )}
      />
      {levels.length > 0 && <path className="text-edge" d={levels.map(level).join('')} />}
    </g>
  )
}

/** Solids on a ground, the farthest first. */
function Scene({
  solids,
  className,
  children,
}: {
  solids: Solid[]
  className?: string
  children?: ReactNode
}) {
  const ground = [project(-14, -14, 0), project(134, -14, 0), project(134, 134, 0), project(-14, 134, 0)]
  return (
    <Drawing viewBox="20 -18 280 256" className={className}>
      <path className="text-edge" strokeDasharray="2 4" d={`M${ground.join('L')}Z`} />
      {solids.map((solid, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a drawing never changes
        <SolidDrawing key={place} {...solid} />
      ))}
      {children}
    </Drawing>
  )
}

const STOREY = 34

/** Information Technology: layers that stand on each other, and the one that carries the rest. */
export function TechnologyDrawing({ className }: { className?: string }) {
  const layers: Solid[] = [0, 1, 2, 3].map(layer => {
    const inset = layer * 13
    const side = 120 - 2 * inset
    return {
      x: inset,
      y: inset,
      z: layer * STOREY,
      width: side,
      depth: side,
      height: 12,
      accent: layer === 1,
    }
  })
  const posts = [0, 1, 2].map(layer => {
    const inset = layer * 13 + 13
    const far = 120 - inset
    return [
      [far, far],
      [far, inset],
      [inset, far],
    ]
      .map(([x = 0, y = 0]) => `M${project(x, y, layer * STOREY + 12)}v${12 - STOREY}`)
      .join('')
  })
  return (
    <Scene solids={layers} className={className}>
      <path className="text-ink-soft" strokeDasharray="2 3" d={posts.join('')} />
    </Scene>
  )
}

/** Real Estate: a block of houses of different heights, one of them let. */
export function EstateDrawing({ className }: { className?: string }) {
  return (
    <Scene
      className={className}
      solids={[
        { x: 0, y: 0, width: 52, depth: 52, height: 104, floors: 7 },
        { x: 68, y: 0, width: 52, depth: 52, height: 62, floors: 4 },
        { x: 0, y: 68, width: 52, depth: 52, height: 40, floors: 2 },
        { x: 68, y: 68, width: 52, depth: 52, height: 26, floors: 1, accent: true },
      ]}
    />
  )
}

/** Retirement Plans: years laid beside years, each standing on those before it. */
export function RetirementDrawing({ className }: { className?: string }) {
  const years = [0, 1, 2, 3, 4, 5]
  return (
    <Scene
      className={className}
      solids={years.map(year => {
        return { x: 0, y: year * 20, width: 120, depth: 20, height: 98 - year * 17, accent: year === 0 }
      })}
    />
  )
}
