import type { CallData } from '#shared/contract/define.ts'
import type { withdrawalTimes } from '#shared/contract/withdrawals.ts'
import { t } from '#shared/i18n/t.ts'

/** How long withdrawals took, as measured; only that we review each if too few were paid to say. */
export function timesWords(times: CallData<typeof withdrawalTimes>): string {
  const review = t('Our team reviews each withdrawal before we pay it.')
  if (times === null) return review
  const { paid, days, half, share, most, waiting, longestWait } = times
  const measured = t(
    'In the last {days} days we paid {paid, number} withdrawals: half within {half}, {share, number}% within {most}.',
    { days, paid, half: spanWords(half), share, most: spanWords(most) },
  )
  if (waiting === 0) return `${review} ${measured} ${t('None is waiting now.')}`
  const queue = t(
    '{waiting, plural, one {# is waiting now, the oldest for {longest}.} other {# are waiting now, the oldest for {longest}.}}',
    { waiting, longest: spanWords(longestWait) },
  )
  return `${review} ${measured} ${queue}`
}

/** A span of time in a fitting unit, rounded up, as it stands after 'within' or 'for': '5 minutes', '3 hours', '2 days'. */
function spanWords(seconds: number): string {
  if (seconds < 3_600) {
    const count = Math.max(1, Math.ceil(seconds / 60))
    return t('{count, plural, one {# minute} other {# minutes}}', { count }, 'after within or for')
  }
  if (seconds < 172_800) {
    const count = Math.ceil(seconds / 3_600)
    return t('{count, plural, one {# hour} other {# hours}}', { count }, 'after within or for')
  }
  const count = Math.ceil(seconds / 86_400)
  return t('{count, plural, one {# day} other {# days}}', { count }, 'after within or for')
}
