import type { DepositMethod } from '#shared/coins.ts'

/** Our own line drawings in the text colour. */
const signs: Record<DepositMethod, string> = {
  // B with two bars.
  bitcoin: 'M15 10v20M18 7v3M23 7v3M18 30v3M23 30v3M12 10h11a5 5 0 0 1 0 10H15M23 20a5 5 0 0 1 0 10H12',
  // T with a ring.
  usdt: 'M11 11h18M20 11v21M20 16c-6 0-10 1-10 2.5S14 21 20 21s10-1 10-2.5S26 16 20 16',
  // Octahedron.
  ethereum: 'M20 6l9 14-9 5-9-5zM20 34l9-10-9 5-9-5zM11 20l9-4 9 4',
}

/** Logo of a payment method (D-14). */
export function CoinLogo({ method }: { method: DepositMethod }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 40 40"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinejoin="round"
      strokeLinecap="round"
      className="size-10 text-accent"
    >
      <path d={signs[method]} />
    </svg>
  )
}
