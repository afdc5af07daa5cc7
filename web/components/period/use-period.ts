import { isDay } from '#web/components/days.ts'
import { useSearch, withChanges } from '#web/search.ts'
import { type Days, dayOf, daysOf, type Preset, presets } from './period.ts'

/** Which days are on show; kept in the address: `?period=3m`, or `?from=2026-01-01&to=2026-03-31`. */
export type Period = {
  days: Days
  /** The preset that the days are of; undefined where they are the reader's own. */
  preset: Preset | undefined
}

/** The period in an address; what cannot be asked for counts as nothing. */
export function periodIn(params: URLSearchParams, today: string): Period {
  const day = (key: string) => {
    const text = params.get(key) ?? ''
    return isDay(text) ? text : undefined
  }
  const own = { from: day('from'), to: day('to') }
  const isOwn = own.from !== undefined || own.to !== undefined
  const asked = params.get('period') ?? ''
  const preset = presets.find(([name]) => name === asked)?.[0] ?? ''
  return { days: isOwn ? own : daysOf(preset, today), preset: isOwn ? undefined : preset }
}

export type PeriodChoice = ReturnType<typeof usePeriod>

/** The period of the page's address, and how it is changed. */
export function usePeriod() {
  const [params, replaceSearch] = useSearch()
  const { days, preset } = periodIn(params, dayOf(new Date()))
  const change = (changes: Record<string, string>) => replaceSearch(current => withChanges(current, changes))
  return {
    days,
    preset,
    /** Why it cannot be asked for. */
    fault:
      days.from && days.to && days.to < days.from ? 'The last day cannot be before the first' : undefined,
    setPreset: (period: Preset) => change({ period, from: '', to: '' }),
    /** The other end stays where it is, whatever it was a preset of. */
    setDays: ({ from, to }: Days) => change({ period: '', from: from ?? '', to: to ?? '' }),
  }
}
