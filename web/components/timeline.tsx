import type { ReactNode } from 'react'
import type { HistoryEntry } from '#shared/contract/entities.ts'
import { t } from '#shared/i18n/t.ts'
import { tr } from '#web/tr.ts'
import { When } from './when.tsx'

/** History of a record: who did what, when and why. */
export function Timeline({ entries }: { entries: readonly HistoryEntry[] }) {
  return (
    <ol className="grid">
      {entries.map((entry, step) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added, at the end.
          key={step}
          className="relative grid gap-0.5 border-rule border-s pb-5 ps-5 last:border-transparent last:pb-0"
        >
          <span
            aria-hidden="true"
            className="absolute top-1.5 -start-[0.3125rem] size-2.5 rounded-full border-2 border-accent bg-paper"
          />
          <p>
            <span className="font-medium">{entry.action}</span>
            <span className="text-ink-soft"> {by(entry.actor)}</span>
          </p>
          <p className="text-ink-faint text-sm">
            <When at={entry.at} />
          </p>
          {entry.reason && <p className="text-ink-soft text-sm">{entry.reason}</p>}
        </li>
      ))}
    </ol>
  )
}

/** 'by Eleanor Vance', 'by the firm', 'automatically'; the actor is the server's word. */
function by(actor: string): ReactNode {
  if (actor === 'Automatic') return t('automatically')
  if (actor === 'The firm') return t('by the firm')
  return tr('by {actor}', { actor: <bdi>{actor}</bdi> })
}
