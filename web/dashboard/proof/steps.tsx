import type { ReactNode } from 'react'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { Day } from '#web/components/when.tsx'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { type Outcome, type Step, steps } from './check.ts'

/** Each step in words, as it is when it holds and when it fails. */
export const wordsOf: Record<Step, { holds: ReactNode; failed: string }> = {
  signature: {
    holds: 'The published books carry our signature.',
    failed: 'Our signature below the published books is missing or wrong.',
  },
  public: {
    holds: 'Our public page shows this device the same books as your account.',
    failed: 'Our public page does not show this device the books that your account shows.',
  },
  witnesses: {
    holds: 'Nobody outside the firm has cosigned these books.',
    failed: 'A cosignature of a witness below the published books is wrong.',
  },
  continuation: {
    holds: 'They continue what this device saw last: nothing in them was changed since.',
    failed: 'They do not continue what this device saw last: something in them was changed.',
  },
  lines: {
    holds: 'Every line of your account is in them, none missing or doubled.',
    failed: 'A line of your account is missing from them, or is another one.',
  },
  receipts: {
    holds: 'Every line that a receipt on this device promises is published, or not due yet.',
    failed: 'We gave you a signed receipt for a line that is not in them.',
  },
  parts: {
    holds: 'Your balance is part of the total of all balances, and only yours.',
    failed: 'Your balance is not part of the total of all balances.',
  },
  total: {
    holds: 'That total is what the books say we owe to all investors.',
    failed: 'The total of all balances is not what the books say we owe.',
  },
  recent: {
    holds: 'They are up to date: their newest day is at most three days old.',
    failed: 'We publish the books at the end of each day, and have stopped.',
  },
}

/** What was checked, in the order of the check. */
export function Steps({ outcome }: { outcome: Outcome }) {
  const done = outcome.holds ? steps.length : steps.indexOf(outcome.step)
  return (
    <details>
      <summary className="w-fit cursor-pointer text-accent">{t('What was checked')}</summary>
      <ol className="mt-3 grid list-decimal gap-1.5 pl-5 text-sm">
        {steps.map((step, at) => (
          <li key={step} className={at === done ? 'text-bad' : at > done ? 'text-ink-faint' : undefined}>
            {at < done ? (
              <Held step={step} outcome={outcome} />
            ) : at === done ? (
              wordsOf[step].failed
            ) : (
              'Not checked.'
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
    return 'This is the first check on this device; the next one compares with it.'
  }
  if (step === 'witnesses' && outcome.holds && outcome.witnesses.length > 0) {
    return `Cosigned by ${outcome.witnesses.join(', ')}. We named them: check elsewhere who they are.`
  }
  if (step === 'lines' && outcome.holds) return <Lines {...outcome} />
  return wordsOf[step].holds
}

function Lines({ lines, waiting, day }: Outcome & { holds: true }) {
  const newer = number(waiting)
  return (
    <>
      {tr('{value} of your account up to {day} {value2}{value3}', {
        value: lines === 1 ? 'The one line' : `All ${number(lines)} lines`,
        day: <Day on={day} />,
        value2: lines === 1 ? 'is in them, and only once.' : 'are in them, none missing or doubled.',
        value3: waiting > 0 && ` ${newer} newer ${waiting === 1 ? 'line' : 'lines'} will follow.`,
      })}
    </>
  )
}
