import { type ReactNode, useState } from 'react'
import type { VersionChange } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import type { List } from '#web/api/list.ts'
import { ListStates } from '#web/components/list-states.tsx'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Select } from '#web/ui/input.tsx'
import { changesBetween, type Values } from './changes.ts'

type Version = {
  version: number
  changedBy: string | null
  changedAt: string
  reason: string | null
  change?: VersionChange
}

type HistoryProps<V extends Version> = {
  list: List<V>
  valuesOf: (version: V) => Values
  /** Author of versions not made in the console, in the reader's language. */
  origin: string
  noteOf?: (version: V) => ReactNode
}

/** Versions, newest first, with author, reason and changes; any two can be compared. */
export function VersionHistory<V extends Version>({ list, ...how }: HistoryProps<V>) {
  return (
    <ListStates list={list} of={t('the versions')} lines={5} empty={null}>
      {versions => <Versions versions={versions} {...how} />}
    </ListStates>
  )
}

type VersionsProps<V extends Version> = Omit<HistoryProps<V>, 'list'> & { versions: readonly V[] }

function Versions<V extends Version>({ versions, valuesOf, origin, noteOf }: VersionsProps<V>) {
  return (
    <div className="grid gap-6">
      {versions.length > 1 && <Compare versions={versions} valuesOf={valuesOf} />}
      <ol className="grid">
        {versions.map((row, place) => {
          const before = versions[place + 1]
          const changes = before ? changesBetween(valuesOf(before), valuesOf(row)) : []
          return (
            <li key={row.version} className="grid gap-1 border-rule border-t py-4">
              <p className="flex flex-wrap items-baseline justify-between gap-x-6">
                <span className="font-medium">{versionName(row)}</span>
                <span className="text-ink-faint text-sm">
                  {tr('{when}, {name}', {
                    when: <When at={row.changedAt} />,
                    name: <bdi>{row.changedBy ?? origin}</bdi>,
                  })}
                </span>
              </p>
              {row.reason && (
                <p dir="auto" className="text-ink-soft text-sm wrap-anywhere">
                  {row.reason}
                </p>
              )}
              {noteOf && <p className="text-ink-faint text-sm">{noteOf(row)}</p>}
              {changes.length > 0 && (
                <div className="text-sm">
                  <DescriptionList entries={changes} />
                </div>
              )}
            </li>
          )
        })}
      </ol>
    </div>
  )
}

/** 'Version 3, hidden' */
function versionName({ version, change }: Version): string {
  switch (change) {
    case 'created':
      return t('Version {version}, added', { version })
    case 'retired':
      return t('Version {version}, hidden', { version })
    case 'restored':
      return t('Version {version}, restored', { version })
    default:
      return t('Version {version}', { version })
  }
}

type CompareProps<V extends Version> = { versions: readonly V[]; valuesOf: (version: V) => Values }

function Compare<V extends Version>({ versions, valuesOf }: CompareProps<V>) {
  const [first, setFirst] = useState(versions.at(-1)!.version)
  const [second, setSecond] = useState(versions[0]!.version)
  const found = (version: number) => versions.find(row => row.version === version) ?? versions[0]!
  const changes = changesBetween(valuesOf(found(first)), valuesOf(found(second)))
  const choice = (label: string, value: number, onChoose: (version: number) => void) => (
    <div className="w-40">
      <Select
        aria-label={label}
        className="text-sm"
        value={value}
        onChange={event => onChoose(Number(event.target.value))}
      >
        {versions.map(({ version }) => (
          <option key={version} value={version}>
            {t('Version {version}', { version })}
          </option>
        ))}
      </Select>
    </div>
  )
  return (
    <section aria-label={t('Compare two versions')} className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        {tr('<words>Compare</words>{first}<words>with</words>{second}', {
          words: words => <span className="text-ink-soft text-sm">{words}</span>,
          first: choice(t('Compare version'), first, setFirst),
          second: choice(t('With version'), second, setSecond),
        })}
      </div>
      <div role="status" className="text-sm">
        {changes.length === 0 ? (
          <p className="text-ink-soft">{t('No differences.')}</p>
        ) : (
          <DescriptionList entries={changes} />
        )}
      </div>
    </section>
  )
}
