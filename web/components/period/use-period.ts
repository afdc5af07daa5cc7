import { t } from '#shared/i18n/t.ts'
import { isDay } from '#web/components/days.ts'
import { useSearch, withChanges } from '#web/search.ts'
import { type Days, dayOf, daysOf, type Preset, presets } from './period.ts'

/** The selected days, kept in the address: `?period=3m` or `?from=2026-01-01&to=2026-03-31`. */
export type Period = {
  days: Days
  /** The preset; undefined for custom days. */
  preset: Preset | undefined
}

/** The period in an address; invalid parts are ignored. */
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

/** The address's period and its setters. */
export function usePeriod() {
  const [params, replaceSearch] = useSearch()
  const { days, preset } = periodIn(params, dayOf(new Date()))
  const change = (changes: Record<string, string>) => replaceSearch(current => withChanges(current, changes))
  return {
    days,
    preset,
    /** Why the days are invalid. */
    daysError:
      days.from && days.to && days.to < days.from ? t('The last day cannot be before the first') : undefined,
    setPreset: (period: Preset) => change({ period, from: '', to: '' }),
    /** Keeps the other end, even if it came from a preset. */
    setDays: ({ from, to }: Days) => change({ period: '', from: from ?? '', to: to ?? '' }),
  }
}
