import { useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import { type FundsDetails, openCheck } from '#shared/contract/identity.ts'
import { localCountry } from '#shared/countries.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { documentLabels, experienceLabels, fundsSourceLabels, lossLabels } from '#shared/identity.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import { useMutation } from '#web/api/mutation.ts'
import { Usd } from '#web/components/amounts.tsx'
import { Day } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { Section } from '#web/ui/section.tsx'
import { type Check, needsOpening } from './actions.tsx'
import { Files } from './files.tsx'

type Opened = CallData<typeof openCheck>

/** Days before the end of a document from which it is worth a note. */
const endsSoonDays = 90

/** What the person sent, once a member of staff opens it, which the audit log keeps. */
export function Sent({ of }: { of: Check }) {
  const [opened, setOpened] = useState<Opened>()
  const { run, pending } = useMutation(openCheck, { success: false, onSuccess: setOpened })
  if (of.erasedAt !== null) {
    return (
      <Section title={t('What was sent')}>
        <p className="text-ink-soft">
          {tr('Deleted on {day}.', { day: <Day on={of.erasedAt.slice(0, 10)} /> })}
        </p>
      </Section>
    )
  }
  return (
    <Section title={t('What was sent')} className="lg:col-span-2">
      {opened ? (
        <div className="grid grid-cols-1 gap-x-12 gap-y-8 lg:grid-cols-2">
          {/* Its own height, also beside tall pictures. */}
          <div>
            <DescriptionList entries={answers(of, opened)} />
          </div>
          {of.provider === null ? (
            <Files files={of.files} />
          ) : (
            <p className="max-w-prose text-ink-soft">
              {t('{provider} compared the document with the face, approved both, and keeps the pictures.', {
                provider: of.provider,
              })}
            </p>
          )}
        </div>
      ) : (
        <div className="grid justify-items-start gap-4">
          <p className="max-w-prose text-ink-soft">
            {needsOpening(of) && `${t('Open it before you decide.')} `}
            {t('It is stored encrypted, and the audit log keeps who opens it, and each file, and when.')}
          </p>
          <Button busy={pending} onClick={() => void run({ params: { id: of._id } })}>
            {t('Open what was sent')}
          </Button>
        </div>
      )}
    </Section>
  )
}

function answers(of: Check, { identity, funds }: Opened): Entry[] {
  if (identity) return identityAnswers(of, identity)
  return funds ? fundsAnswers(funds) : []
}

function identityAnswers(of: Check, sent: NonNullable<Opened['identity']>): Entry[] {
  return [
    [t('Name in the document'), <Name key="name" sent={sent.name} account={of.userName} />],
    [t('Name of the account'), <bdi key="account">{of.userName}</bdi>],
    [t('Date of birth'), <Birth key="birth" on={sent.birth} />],
    [t('Nationality'), localCountry(sent.nationality)],
    [
      t('Address'),
      <span key="address" className="whitespace-pre-line">
        {sent.address ?? t('Not told by {provider}', { provider: of.provider ?? '' })}
      </span>,
    ],
    [t('Document'), translate(documentLabels[sent.document])],
    [t('Number'), <bdi key="number">{sent.number}</bdi>],
    [t('Issued by'), localCountry(sent.issuer)],
    [t('Valid until'), <Ends key="ends" on={sent.ends} />],
  ]
}

function Birth({ on }: { on: string }) {
  const today = new Date().toISOString().slice(0, 10)
  const years = Number(today.slice(0, 4)) - Number(on.slice(0, 4)) - (today.slice(5) < on.slice(5) ? 1 : 0)
  return (
    <>
      {tr('{day} ({years, plural, one {# year old} other {# years old}})', { day: <Day on={on} />, years })}
    </>
  )
}

const plain = (name: string) => name.normalize('NFKD').replace(/\P{L}/gu, '').toLowerCase()

function Name({ sent, account }: { sent: string; account: string }) {
  return (
    <>
      <bdi>{sent}</bdi>
      {plain(sent) !== plain(account) && (
        <Note>{t('It differs from the name of the account. Make sure that both are one person.')}</Note>
      )}
    </>
  )
}

function Ends({ on }: { on: string }) {
  const days = (Date.parse(on) - Date.now()) / 86_400_000
  return (
    <>
      <Day on={on} />
      {days < 0 ? (
        <Note>{t('It has ended.')}</Note>
      ) : (
        days < endsSoonDays && <Note>{t('It ends soon.')}</Note>
      )}
    </>
  )
}

function fundsAnswers(sent: FundsDetails): Entry[] {
  return [
    [t('Occupation'), <bdi key="occupation">{sent.occupation}</bdi>],
    [t('Source of the money'), translate(fundsSourceLabels[sent.source])],
    [
      t('Explanation'),
      <span key="explanation" className="whitespace-pre-line">
        {sent.explanation}
      </span>,
    ],
    [t('Expected in a year'), <Usd key="yearly" value={sent.yearly} />],
    [t('Invested before'), translate(experienceLabels[sent.experience])],
    [
      t('If all were lost'),
      <span key="loss">
        {translate(lossLabels[sent.loss])}
        {sent.loss === 'ruinous' && (
          <Note>{t('Investing here does not suit this person. Talk to them before you verify it.')}</Note>
        )}
      </span>,
    ],
  ]
}

function Note({ children }: { children: string }) {
  return <span className="mt-1 block text-bad text-sm">{children}</span>
}
