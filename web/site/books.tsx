import { useSite } from '#web/frame.ts'
import { Part } from './banner.tsx'
import { utcTime } from './utc.ts'

const rules = [
  {
    name: 'Double entry, for every cent',
    text: 'What comes to one account leaves another. An entry that does not balance is refused by the database itself, whoever asks for it.',
  },
  {
    name: 'Nothing is ever changed',
    text: 'Entries are added, never edited or deleted. A mistake is corrected by a new entry, with its reason beside it.',
  },
  {
    name: 'Earnings come from returns, never from investors',
    text: 'Earnings are paid out of one account only: returns that the firm has realised, recorded with their evidence. No road leads into it from any investor’s money.',
  },
  {
    name: 'You see your side of it',
    text: 'Your statement is your part of the ledger, line by line. Add it up: it comes to your balance.',
  },
] as const

/** How the books can be checked: the firm's argument. */
export function Books() {
  return (
    <Part
      id="books"
      eyebrow="Books you can check"
      title="How we keep books you can check"
      lead={
        <>
          <p>
            Trust is a poor substitute for arithmetic. So we keep books in which the arithmetic can be done.
          </p>
          <LastCheck />
        </>
      }
    >
      <ul className="grid gap-x-10 gap-y-8 sm:grid-cols-2">
        {rules.map(({ name, text }) => (
          <li key={name} className="grid content-start gap-2 border-rule border-t pt-5">
            <h3 className="font-semibold text-lg">{name}</h3>
            <p className="text-ink-soft">{text}</p>
          </li>
        ))}
      </ul>
    </Part>
  )
}

/** When the books were last checked against themselves, as the ledger says. */
function LastCheck() {
  const { books } = useSite()
  if (books.checkedAt === null || books.ok === null) return null
  return (
    <p className="mt-4 text-sm">
      {books.ok
        ? 'The books were checked against themselves and held: '
        : 'The last check found a difference: '}
      <time dateTime={books.checkedAt} className="tabular-nums">
        {utcTime(books.checkedAt)}
      </time>
    </p>
  )
}
