import { useEffect, useState } from 'react'

/**
 * Whole seconds until a moment (ISO 8601) by this device's clock, down to 0.
 * @returns undefined while the moment is unknown
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

/** '14:59'; hours show as minutes. */
export function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The ticking time left; screen readers read it on request only. */
export function Countdown({ label, seconds }: { label: string; seconds: number }) {
  return (
    <span role="timer" aria-label={label} className="font-medium tabular-nums">
      {minutesAndSeconds(seconds)}
    </span>
  )
}
