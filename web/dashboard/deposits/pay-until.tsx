import { Countdown, useSecondsUntil } from '#web/components/countdown.tsx'

/**
 * Time left at the locked rate, then what its end means (D5, D-22).
 * @param props.after words after the figures
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
