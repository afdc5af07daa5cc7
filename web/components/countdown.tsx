import { useEffect, useState } from 'react'

/**
 * Whole seconds until a moment (ISO 8601), counted down to 0 by this device's clock.
 * @returns undefined while the moment is not known.
 */
export function useSecondsUntil(moment: string | undefined): number | undefined {
  const [now, setNow] = useState(Date.now)
  const end = moment === undefined ? undefined : Date.parse(moment)
  const over = end === undefined || end <= now

  useEffect(() => {
    setNow(Date.now())
    if (over) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [over])

  return end === undefined ? undefined : Math.max(0, Math.ceil((end - now) / 1000))
}

/** '14:59'; a duration of hours runs on in minutes. */
export function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The time left, as figures that tick. Read out when it is asked for, not at every second. */
export function Countdown({ label, seconds }: { label: string; seconds: number }) {
  return (
    <span role="timer" aria-label={label} className="font-medium tabular-nums">
      {minutesAndSeconds(seconds)}
    </span>
  )
}
