/** On every page of the demonstration, above the start overlay too (P-14, D2). */
export function DemoBanner() {
  return (
    <p className="relative z-60 bg-wait-soft px-4 py-1.5 text-center text-wait text-xs">
      Demonstration: not a real firm. Do not send money.
    </p>
  )
}
