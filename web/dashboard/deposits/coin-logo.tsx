import type { DepositMethod } from '#shared/coins.ts'

/** T with a ring. */
const tether = 'M11 11h18M20 11v21M20 16c-6 0-10 1-10 2.5S14 21 20 21s10-1 10-2.5S26 16 20 16'

/** Our own line drawings in the text colour. */
const signs: Record<DepositMethod, string> = {
  // B with two bars.
  bitcoin: 'M15 10v20M18 7v3M23 7v3M18 30v3M23 30v3M12 10h11a5 5 0 0 1 0 10H15M23 20a5 5 0 0 1 0 10H12',
  usdt: tether,
  // Octahedron.
  ethereum: 'M20 6l9 14-9 5-9-5zM20 34l9-10-9 5-9-5zM11 20l9-4 9 4',
  'usdt-erc20': tether,
  // S with a bar, in an open ring.
  'usdc-erc20':
    'M24 16c-.7-1.6-2.2-2.5-4-2.5-2.4 0-4 1.2-4 3.1 0 4.3 8 2.3 8 6.7 0 2-1.6 3.2-4 3.2-1.9 0-3.4-.9-4-2.6M20 11v2.5M20 26.5V29M15 8.5a12.5 12.5 0 0 0 0 23M25 8.5a12.5 12.5 0 0 1 0 23',
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
