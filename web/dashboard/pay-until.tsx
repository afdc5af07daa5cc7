import { Countdown, useSecondsUntil } from '#web/components/countdown.tsx'

/** The time in which a requested payment counts at its locked rate; afterwards, what its end means (D5, D-22). */
export function PayUntil({ moment }: { moment: string }) {
  const seconds = useSecondsUntil(moment)
  if (seconds === undefined || seconds > 0)
    return <Countdown label="Time left to pay" seconds={seconds ?? 0} />
  return 'Over: what arrives now counts at the rate of its arrival'
}
