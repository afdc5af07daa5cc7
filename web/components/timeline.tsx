import type { HistoryEntry } from '#shared/contract/entities.ts'
import { When } from './when.tsx'

/** History of a record: who did what, when and why. */
export function Timeline({ entries }: { entries: readonly HistoryEntry[] }) {
  return (
    <ol className="grid">
      {entries.map((entry, step) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added, at the end.
          key={step}
          className="relative grid gap-0.5 border-rule border-l pb-5 pl-5 last:border-transparent last:pb-0"
        >
          <span
            aria-hidden="true"
            className="absolute top-1.5 -left-[0.3125rem] size-2.5 rounded-full border-2 border-accent bg-paper"
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

/** 'by Eleanor Vance', 'by the firm', 'automatically' */
function by(actor: string): string {
  if (actor === 'Automatic') return 'automatically'
  return `by ${actor === 'The firm' ? 'the firm' : actor}`
}
