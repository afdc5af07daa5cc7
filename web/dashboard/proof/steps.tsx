import { msg, t, translate } from '#shared/i18n/t.ts'
import { Day } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { type Outcome, type Step, steps } from './check.ts'

/** Each step in words, as it is when it holds and when it fails. */
export const wordsOf: Record<Step, { holds: string; failed: string }> = {
  signature: {
    holds: msg('The published books carry our signature.'),
    failed: msg('Our signature below the published books is missing or wrong.'),
  },
  public: {
    holds: msg('Our public page shows this device the same books as your account.'),
    failed: msg('Our public page does not show this device the books that your account shows.'),
  },
  witnesses: {
    holds: msg('Nobody outside the firm has cosigned these books.'),
    failed: msg('A cosignature of a witness below the published books is wrong.'),
  },
  continuation: {
    holds: msg('They continue what this device saw last: nothing in them was changed since.'),
    failed: msg('They do not continue what this device saw last: something in them was changed.'),
  },
  lines: {
    holds: msg('Every line of your account is in them, none missing or doubled.'),
    failed: msg('A line of your account is missing from them, or is another one.'),
  },
  receipts: {
    holds: msg('Every line that a receipt on this device promises is published, or not due yet.'),
    failed: msg('We gave you a signed receipt for a line that is not in them.'),
  },
  parts: {
    holds: msg('Your balance is part of the total of all balances, and only yours.'),
    failed: msg('Your balance is not part of the total of all balances.'),
  },
  total: {
    holds: msg('That total is what the books say we owe to all investors.'),
    failed: msg('The total of all balances is not what the books say we owe.'),
  },
  recent: {
    holds: msg('They are up to date: their newest day is at most three days old.'),
    failed: msg('We publish the books at the end of each day, and have stopped.'),
  },
}

/** What was checked, in the order of the check. */
export function Steps({ outcome }: { outcome: Outcome }) {
  const done = outcome.holds ? steps.length : steps.indexOf(outcome.step)
  return (
    <details>
      <summary className="w-fit cursor-pointer text-accent">{t('What was checked')}</summary>
      <ol className="mt-3 grid list-decimal gap-1.5 ps-5 text-sm">
        {steps.map((step, at) => (
          <li key={step} className={at === done ? 'text-bad' : at > done ? 'text-ink-faint' : undefined}>
            {at < done ? (
              <Held step={step} outcome={outcome} />
            ) : at === done ? (
              translate(wordsOf[step].failed)
            ) : (
              t('Not checked.')
            )}
          </li>
        ))}
      </ol>
      <p className="mt-3 text-ink-soft text-sm">
        {tr(
          "Only people outside the firm can show that everybody sees the same. Compare the published size and root with other people's. <a>How the proof works, and what it does not prove</a>",
          {
            a: words => (
              <a className="prose-link" href={`${paths.proof}#limits`}>
                {words}
              </a>
            ),
          },
        )}
      </p>
    </details>
  )
}

function Held({ step, outcome }: { step: Step; outcome: Outcome }) {
  if (step === 'continuation' && outcome.holds && outcome.isFirst) {
    return t('This is the first check on this device; the next one compares with it.')
  }
  if (step === 'witnesses' && outcome.holds && outcome.witnesses.length > 0) {
    return t('Cosigned by {witnesses}. We named them: check elsewhere who they are.', {
      witnesses: outcome.witnesses.join(', '),
    })
  }
  if (step === 'lines' && outcome.holds) return <Lines {...outcome} />
  return translate(wordsOf[step].holds)
}

function Lines({ lines, waiting, day }: Outcome & { holds: true }) {
  return (
    <>
      {tr(
        '{lines, plural, one {The one line of your account up to {day} is in them, and only once.} other {All # lines of your account up to {day} are in them, none missing or doubled.}}',
        { lines, day: <Day on={day} /> },
      )}
      {waiting > 0 && (
        <>
          {' '}
          {t('{count, plural, one {# newer line will follow.} other {# newer lines will follow.}}', {
            count: waiting,
          })}
        </>
      )}
    </>
  )
}
