import type { Movement } from './movements.ts'
import { ShortId } from './short-id.tsx'

/** A payment's transaction, or the reason for declining; nothing without either. */
export function MovementNote({ of: { line } }: { of: Movement }) {
  const { event, note } = line
  if (note === null) return null
  return (
    <span dir="auto" className="wrap-anywhere block text-ink-soft text-sm">
      {event === 'withdrawal.paid' ? <ShortId id={note} name="transaction id" /> : note}
    </span>
  )
}
