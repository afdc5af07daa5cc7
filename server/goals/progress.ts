import { monthsUntil } from '#shared/moments.ts'

/**
 * How far total funds are from a goal, in cents. What is missing is divided among the months ahead as it is: no earnings are
 * assumed, because none are promised.
 * @param today and `day` are days in UTC, '2026-11-27'
 */
export function progressOf(
  { amountCents, day }: { amountCents: bigint; day: string | null },
  fundsCents: bigint,
  today: string,
): { missingCents: bigint; percent: number; monthlyCents: bigint | null } {
  const missingCents = fundsCents >= amountCents ? 0n : amountCents - fundsCents
  const percent = Number(((amountCents - missingCents) * 100n) / amountCents)
  if (missingCents === 0n || day === null || day <= today)
    return { missingCents, percent, monthlyCents: null }
  const months = BigInt(Math.max(1, monthsUntil(today, day)))
  return { missingCents, percent, monthlyCents: (missingCents + months - 1n) / months }
}
