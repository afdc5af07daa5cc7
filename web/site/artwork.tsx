import type { ReactNode } from 'react'

/** Drawings made for these pages: lines in the text's colour, one mark in the accent. Decoration only. */
function Drawing({
  viewBox,
  className,
  children,
}: {
  viewBox: string
  className?: string
  children: ReactNode
}) {
  return (
    <svg
      viewBox={viewBox}
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
      className={className}
    >
      {children}
    </svg>
  )
}

const rows = Array.from({ length: 15 }, (_, row) => row)

/** A ledger page whose two columns come out level: the firm's promise as a picture. */
export function LedgerDrawing({ className }: { className?: string }) {
  // Each entry at the left has its equal at the right, in another place: what left one account came to another.
  const length = (row: number) => 26 + ((row * 37) % 83)
  return (
    <Drawing viewBox="0 0 400 420" className={className}>
      <g className="text-rule">
        {rows.map(row => (
          <path key={row} d={`M20 ${40 + row * 24}H380`} />
        ))}
        <path d="M200 16V400M20 16V400M380 16V400" />
      </g>
      <g className="text-ink-faint" strokeWidth="7">
        {rows.map(row => (
          <path key={row} d={`M184 ${30 + row * 24}h${-length(row)}`} />
        ))}
      </g>
      <g className="text-accent" strokeWidth="7">
        {rows.map(row => (
          <path key={row} d={`M364 ${30 + row * 24}h${-length((row * 4 + 7) % 15)}`} />
        ))}
      </g>
      <path className="text-ink" strokeWidth="2" d="M60 388H184M60 393H184M240 388H364M240 393H364" />
    </Drawing>
  )
}

/** Information Technology: nodes and their links. */
export function TechnologyDrawing({ className }: { className?: string }) {
  return (
    <Drawing viewBox="0 0 240 150" className={className}>
      <path d="M40 110 90 50l60 30 50-50M90 50l20 70 40-40 45 40M40 110l70 10" />
      {[
        [40, 110],
        [90, 50],
        [150, 80],
        [200, 30],
        [110, 120],
        [195, 120],
      ].map(([x, y]) => (
        <circle key={x} cx={x} cy={y} r="7" fill="var(--paper)" />
      ))}
      <circle cx="150" cy="80" r="7" className="text-accent" fill="currentColor" />
    </Drawing>
  )
}

/** Real Estate: a street of fronts. */
export function EstateDrawing({ className }: { className?: string }) {
  return (
    <Drawing viewBox="0 0 240 150" className={className}>
      <path d="M20 130H220M36 130V70h36v60M72 130V36h44v94M116 130V58h40v72M156 130V84h44v46" />
      <path d="M46 86h16M46 102h16M82 54h24M82 70h24M82 86h24M126 74h20M126 90h20M168 98h20M168 112h20" />
      <path className="text-accent" strokeWidth="3" d="M87 130v-26h14v26" />
    </Drawing>
  )
}

/** Retirement Plans: years laid on years. */
export function RetirementDrawing({ className }: { className?: string }) {
  return (
    <Drawing viewBox="0 0 240 150" className={className}>
      {[18, 36, 54, 72, 90].map(radius => (
        <path key={radius} d={`M${120 - radius} 130a${radius} ${radius} 0 0 1 ${radius * 2} 0`} />
      ))}
      <path d="M20 130H220" />
      <path className="text-accent" strokeWidth="3" d="M30 130a90 90 0 0 1 135-78" />
    </Drawing>
  )
}
