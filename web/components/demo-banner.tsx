/** On every page of the demonstration (P-14, D2). */
export function DemoBanner() {
  return (
    <p className="bg-wait-soft px-4 py-1.5 text-center text-wait text-xs">
      Demonstration: not a real firm. Do not send money.
    </p>
  )
}
