/** On every page of the demonstration, above the start overlay too (P-14, D2). */
export function DemoBanner() {
  return (
    <aside aria-label="Demonstration" className="demo-banner bg-wait-soft text-wait text-xs">
      Demonstration: not a real firm. Do not send money.
    </aside>
  )
}
