import { Download } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { perLanguage } from '#shared/i18n/intl.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { save } from '#web/api/download.ts'
import { wordsOf as wordsForError } from '#web/api/errors.ts'
import { Cents } from '#web/components/amounts.tsx'
import { Day, When } from '#web/components/when.tsx'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { focusHome, focusHomeHere } from '#web/ui/focus-home.ts'
import { Input } from '#web/ui/input.tsx'
import { Section } from '#web/ui/section.tsx'
import { Loading } from '#web/ui/states.tsx'
import { toast } from '#web/ui/toast.ts'
import type { Outcome } from './check.ts'
import { Steps, wordsOf } from './steps.tsx'
import { type CheckState, type Done, type Hidden, useFailedBefore, useProofCheck } from './use-check.ts'
import { headlineOf } from './words.ts'

/** The investor's own check of the public proof, on this device. */
export function ProofCheck() {
  const { state, again } = useProofCheck()
  return (
    <Section
      className="mb-10"
      title={t('Checked on your device')}
      aside={
        <Button tone="quiet" size="sm" busy={state.is === 'checking'} onClick={() => again()}>
          {t('Check again')}
        </Button>
      }
    >
      <div role="status" {...focusHome} className="grid min-h-60 content-start gap-4 sm:min-h-48">
        <Found state={state} again={again} />
      </div>
    </Section>
  )
}

function Found({ state, again }: { state: CheckState; again: (heard?: string) => void }) {
  if (state.is === 'checking') return <Loading label={t('Checking the published books')} lines={2} />
  if (state.is === 'unreached') {
    return (
      <>
        <p className="border-rule border-y border-dashed py-4 text-ink-soft">
          {t('The published books could not be fetched, so nothing was checked.')} <bdi>{state.reason}</bdi>
          {state.last && <> {t('Below is your last check.')}</>}
        </p>
        {state.overdue !== null && (
          <Unchecked>
            {t('This device could make no check for {days, plural, one {# day} other {# days}}.', {
              days: state.overdue,
            })}
          </Unchecked>
        )}
        {state.last === undefined && <FailedBefore since={t('It could not be made again just now.')} />}
        {state.last?.is === 'hidden' && <Disappeared {...state.last} />}
        {state.last?.is === 'done' && <Checked done={state.last} again={again} />}
      </>
    )
  }
  if (state.is === 'hidden') return <Disappeared {...state} />
  if (state.is === 'early') {
    return (
      <p className="text-ink-soft">
        {t('The books are published at the end of each day. Yours can be checked from tomorrow on.')}
      </p>
    )
  }
  if (state.is === 'erased') return <p className="text-ink-soft">{state.reason}</p>
  return <Checked done={state} again={again} />
}

/** What a check has found, its steps, and the proof to save. */
function Checked({ done, again }: { done: Done; again: (heard?: string) => void }) {
  const { outcome, whole, isDamaged } = done
  return (
    <>
      {outcome.holds && <FailedBefore since={t('It has passed since.')} />}
      {isDamaged && (
        <p className="border-wait border-s-4 bg-wait-soft px-4 py-3">
          {t(
            'What this device had kept of earlier checks was damaged. So this check compares with nothing older.',
          )}
        </p>
      )}
      {outcome.holds ? <Holds outcome={outcome} done={done} /> : <Fails outcome={outcome} again={again} />}
      <Steps outcome={outcome} />
      <SaveProof whole={whole} />
    </>
  )
}

function Disappeared({ leaves }: Hidden) {
  return (
    <Unchecked>
      {t(
        'This device has checked published books of {count, plural, one {# entry} other {# entries}} before. Now our server shows it none. Published books never end.',
        { count: leaves },
      )}
    </Unchecked>
  )
}

/** Published books that cannot be checked any more, and whom to ask: loudly, since nobody else may notice. */
function Unchecked({ children }: { children: ReactNode }) {
  const { firm } = useSite()
  return (
    <div role="alert" className="grid gap-2 border-bad border-s-4 bg-bad-soft px-4 py-3 text-bad">
      <p className="font-semibold text-lg">{children}</p>
      <p>
        {tr(
          'Ask us at {email} to explain it. Compare our answer with others who have copies of the books: witnesses, the auditor, or other investors.',
          {
            email: (
              <a className="underline" href={`mailto:${firm.supportEmail}`}>
                {firm.supportEmail}
              </a>
            ),
          },
        )}
      </p>
    </div>
  )
}

/** A check that failed leaves a trace until the investor puts it aside: the next one may be shown other books. */
function FailedBefore({ since }: { since: string }) {
  const { failed, putAside } = useFailedBefore()
  if (failed === undefined) return null
  return (
    <div className="grid justify-items-start gap-2 border-bad border-s-4 bg-bad-soft px-4 py-3 text-bad">
      <p>
        {tr('On {day} this check failed on this device.', { day: <Day on={failed.day} /> })}{' '}
        {wordsOf[failed.step] && translate(wordsOf[failed.step].failed)} {since}{' '}
        {t('If we have not explained that to you, ask us.')}
      </p>
      <button
        type="button"
        className="min-h-6 cursor-pointer underline"
        onClick={() => {
          focusHomeHere()?.focus()
          putAside()
        }}
      >
        {t("I know why, don't show this again")}
      </button>
    </div>
  )
}

const oneDecimal = perLanguage(
  ({ numbers }) => new Intl.NumberFormat(numbers, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)

type HoldsProps = { outcome: Outcome & { holds: true }; done: Done }

function Holds({ outcome, done: { ms, at } }: HoldsProps) {
  const seconds = oneDecimal().format(Math.max(0.1, ms / 1000))
  return (
    <div className="grid gap-2">
      <p className="text-lg">
        {tr('Your total funds of {own} on {day} are part of the published total of {total}.', {
          own: <Cents cents={BigInt(outcome.cents)} />,
          day: <Day on={outcome.day} />,
          total: <Cents cents={BigInt(outcome.totalCents)} />,
        })}
      </p>
      <p className="flex flex-wrap items-center gap-2 text-ink-soft">
        <Badge tone="good">{t('Holds')}</Badge>
        <span>
          {tr('Checked on your device in {seconds} s, on {moment}.', {
            seconds,
            moment: <When at={at.toISOString()} />,
          })}
        </span>
      </p>
      <p className="text-ink-soft text-sm">
        {tr(
          'This share of the total is bound to {email}. If that was not your email address on that day, please tell us.',
          { email: <bdi>{outcome.email}</bdi> },
        )}
      </p>
    </div>
  )
}

/** What failed, and whom to tell: loudly, since it concerns the investor's money. */
type Failing = { outcome: Outcome & { holds: false }; again: (heard: string) => void }

function Fails({ outcome, again }: Failing) {
  const { firm } = useSite()
  return (
    <div role="alert" className="grid gap-2 border-bad border-s-4 bg-bad-soft px-4 py-3 text-bad">
      <p className="font-semibold text-lg">{headlineOf(outcome.step)}</p>
      <p>
        {translate(wordsOf[outcome.step].failed)}{' '}
        {/* As the verifier says it, which is in English for everybody. */}
        <bdi dir="ltr" lang="en">
          ({outcome.reason}.)
        </bdi>
      </p>
      <p>
        {tr(
          'Save the proof below and keep it. It has what this device knew before, too. Ask us at {email} to explain it, and show the file to your lawyer or to the regulator if we cannot.',
          {
            email: (
              <a className="underline" href={`mailto:${firm.supportEmail}`}>
                {firm.supportEmail}
              </a>
            ),
          },
        )}
      </p>
      {outcome.isKeyUnknown && <HeardKey again={again} />}
    </div>
  )
}

/** The way on after our key was lost or stolen: a person has to hear the new one from somewhere else than this site. */
function HeardKey({ again }: Pick<Failing, 'again'>) {
  const [key, setKey] = useState('')
  const check = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim() !== '') again(key.trim())
  }
  return (
    <form onSubmit={check} className="mt-2 grid max-w-xl justify-items-start gap-3 text-ink">
      <Field
        name="key"
        className="w-full"
        label={t('Our new key')}
        hint={t(
          'Have we told you a new key in another way than on this site, in a letter or a call? Enter that one. Never copy it from here.',
        )}
      >
        <Input
          value={key}
          onChange={event => setKey(event.target.value)}
          autoComplete="off"
          dir="ltr"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={300}
        />
      </Field>
      <Button type="submit" tone="quiet">
        {t('Check with this key')}
      </Button>
    </form>
  )
}

/** A file that proves the same in years, without us. */
function SaveProof({ whole }: { whole: () => Promise<object> }) {
  const keep = () =>
    whole()
      .then(proof => new Blob([JSON.stringify(proof, null, 1)], { type: 'application/json' }))
      .then(
        content => save({ name: 'saved-proof.json', content }),
        error => toast.error(wordsForError(error)),
      )
  return (
    <div>
      <Button tone="plain" size="sm" className="-ms-3" onClick={keep}>
        <Download aria-hidden="true" /> {t('Save this proof')}
      </Button>
      <p className="text-ink-soft text-sm">
        {tr(
          'A file that anybody can check years from now, without us: <a>how to check a saved proof or a receipt</a>. It has your receipts for lines that are not published yet. It contains your email address, your amounts and your secret: give it only to people whom you trust with these.',
          {
            a: words => (
              <a className="prose-link" href={`${paths.proof}#saved`}>
                {words}
              </a>
            ),
          },
        )}
      </p>
    </div>
  )
}
