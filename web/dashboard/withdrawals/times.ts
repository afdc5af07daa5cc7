import type { CallData } from '#shared/contract/define.ts'
import type { withdrawalTimes } from '#shared/contract/withdrawals.ts'
import { withCommas } from '#shared/money.ts'

const review = 'Our team reviews each withdrawal before we pay it.'

/** How long withdrawals took, as measured; only that we review each if too few were paid to say. */
export function timesWords(times: CallData<typeof withdrawalTimes>): string {
  if (times === null) return review
  const { paid, days, half, share, most, waiting, longestWait } = times
  const measured = `In the last ${days} days we paid ${withCommas(String(paid))} withdrawals: half within ${spanWords(half)}, ${share}% within ${spanWords(most)}.`
  if (waiting === 0) return `${review} ${measured} None is waiting now.`
  const [count, verb] = [withCommas(String(waiting)), waiting === 1 ? 'is' : 'are']
  return `${review} ${measured} ${count} ${verb} waiting now, the oldest for ${spanWords(longestWait)}.`
}

/** A span of time in a fitting unit, rounded up: '5 minutes', '3 hours', '2 days'. */
function spanWords(seconds: number): string {
  if (seconds < 3_600) return counted(Math.max(1, Math.ceil(seconds / 60)), 'minute')
  if (seconds < 172_800) return counted(Math.ceil(seconds / 3_600), 'hour')
  return counted(Math.ceil(seconds / 86_400), 'day')
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
