import { Countdown, useSecondsUntil } from '#web/components/countdown.tsx'

/**
 * The time in which a requested payment counts at its locked rate; afterwards, what its end means (D5, D-22).
 * @param props.after words behind the figures, where nothing before them says what they are
 */
export function PayUntil({ moment, after }: { moment: string; after?: string }) {
  const seconds = useSecondsUntil(moment)
  if (seconds === undefined || seconds > 0) {
    return (
      <>
        <Countdown label="Time left to pay" seconds={seconds ?? 0} />
        {after}
      </>
    )
  }
  return 'Rate expired. Later payments use the rate when they arrive.'
}
