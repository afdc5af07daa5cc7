import { Usd } from '#web/components/amounts.tsx'

/** An amount above a bar of its size; `top` is the longest bar's. The figure says everything that the bar shows. */
export function AmountBar({ amount, top }: { amount: number; top: number }) {
  return (
    <span className="inline-grid w-full min-w-28 gap-1">
      <Usd value={amount} />
      <svg aria-hidden="true" className="h-1.5 w-full">
        <rect width="100%" height="6" className="fill-sunken" />
        <rect width={`${share(amount, top)}%`} height="6" className="fill-accent" />
      </svg>
    </span>
  )
}

function share(amount: number, top: number): number {
  return top > 0 ? (Math.max(amount, 0) / top) * 100 : 0
}
