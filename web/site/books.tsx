import { typedUsd } from '#shared/i18n/amounts.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Part } from './banner.tsx'
import { utcDay } from './utc.ts'

const rules = [
  {
    name: msg('Double entry, for every cent'),
    text: msg(
      'Every credit has a matching debit. The database itself refuses an entry that does not balance, no matter who makes it.',
    ),
  },
  {
    name: msg('Nothing is ever changed'),
    text: msg(
      'Entries are added, never edited or deleted. We correct a mistake with a new entry that states its reason.',
    ),
  },
  {
    name: msg('Earnings come from returns, never from investors'),
    text: msg(
      'We pay earnings from one account only: realised returns, recorded with their evidence. Investors’ money can never flow into that account.',
    ),
  },
  {
    name: msg('You see your side of it'),
    text: msg('Your statement is your part of the ledger, line by line. Add it up and you get your balance.'),
  },
] as const

/** How the books can be checked, with an example. */
export function Books() {
  return (
    <Part
      id="books"
      night
      wide
      eyebrow={t('Books you can check')}
      title={t('How we keep books you can check')}
      lead={
        <p>
          {t(
            'Trust is a poor substitute for arithmetic. So we keep books whose arithmetic anyone can check.',
          )}
        </p>
      }
    >
      <div className="grid gap-14">
        <Extract />
        <ul className="grid gap-x-16 gap-y-10 sm:grid-cols-2">
          {rules.map(({ name, text }) => (
            <li key={name} className="grid content-start gap-3">
              <h3 className="display text-xl">{translate(name)}</h3>
              <p className="text-ink-soft">{translate(text)}</p>
            </li>
          ))}
        </ul>
        <OpenBooks />
      </div>
    </Part>
  )
}

/** Event, debited account, credited account, amount, and the available balance after it, in cents. */
const example = [
  [msg('Deposit credited'), msg('Payment received'), msg('Available'), 100_000n, 100_000n],
  [msg('Plan begins'), msg('Available'), msg('Invested'), 100_000n, 0n],
  [msg('Earning paid'), msg('Recorded returns'), msg('Available'), 9_000n, 9_000n],
  [msg('Plan closed'), msg('Invested'), msg('Available'), 100_000n, 109_000n],
  [msg('Withdrawal paid'), msg('Available'), msg('Your wallet'), 109_000n, 0n],
] as const

/** An example page of the books. */
function Extract() {
  return (
    <table data-figure="example" className="extract">
      <caption>
        {t('An example with invented amounts: one investor’s thousand dollars, from deposit to withdrawal')}
      </caption>
      <thead>
        <tr>
          <th scope="col">{t('What happened')}</th>
          <th scope="col">{t('Taken from')}</th>
          <th scope="col">{t('Given to')}</th>
          <th scope="col">{t('USD')}</th>
          <th scope="col">{t('Balance')}</th>
        </tr>
      </thead>
      <tbody>
        {example.map(([event, from, to, amount, balance]) => (
          <tr key={event}>
            <th scope="row">{translate(event)}</th>
            <td>{translate(from)}</td>
            <td data-arrow>{translate(to)}</td>
            <td data-amount>{typedUsd(amount)}</td>
            <td data-amount data-label={t('Balance')}>
              {typedUsd(balance)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Until when anybody can check the books, and where. */
export function OpenBooks() {
  const { books } = useSite()
  return (
    <span data-books={books.ok} className="text-ink-soft text-sm">
      {books.ok === false && `${t('Our own last check of the ledger found a difference.')} `}
      {books.publishedUntil !== null && (
        <>
          {tr('Published up to {time}.', {
            time: (
              <time
                data-figure="proof"
                dateTime={books.publishedUntil}
                className="whitespace-nowrap tabular-nums"
              >
                {utcDay(books.publishedUntil)}
              </time>
            ),
          })}{' '}
        </>
      )}
      <a className="prose-link" href={paths.proof}>
        {t('Check our books yourself')}
      </a>
    </span>
  )
}
