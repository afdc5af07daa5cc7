import { t, translate } from '#shared/i18n/t.ts'
import { accountNames, kindNames } from '#shared/statement.ts'
import { Part } from '#web/components/day-input.tsx'
import { DayParts, DaysError, Presets } from '#web/components/period/fields.tsx'
import { Select } from '#web/ui/input.tsx'
import type { useStatementFilter } from './filter.ts'

type Filter = ReturnType<typeof useStatementFilter>

export function Filters({ filter }: { filter: Filter }) {
  const { account, kind } = filter
  return (
    <search aria-label={t('Filter the statement')} className="mb-6 grid gap-5">
      <Presets period={filter} />
      <div className="grid max-w-4xl grid-cols-2 gap-4 lg:grid-cols-4">
        <DayParts period={filter} />
        <Part label={t('Account')}>
          <Select value={account ?? ''} onChange={event => filter.setAccount(event.target.value)}>
            <option value="">{t('All accounts')}</option>
            <Options names={accountNames} />
          </Select>
        </Part>
        <Part label={t('Kind')}>
          <Select value={kind ?? ''} onChange={event => filter.setKind(event.target.value)}>
            <option value="">{t('All kinds')}</option>
            <Options names={kindNames} />
          </Select>
        </Part>
      </div>
      <DaysError daysError={filter.daysError} />
    </search>
  )
}

function Options({ names }: { names: Record<string, string> }) {
  return Object.entries(names).map(([value, name]) => (
    <option key={value} value={value}>
      {translate(name)}
    </option>
  ))
}
