import { useSearchParams } from 'react-router'
import { newContactMessage } from '#shared/contract/site.ts'
import type { AppError } from '#shared/errors.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { FirmWords } from '#web/components/firm-words.tsx'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import type { PageHandle } from '#web/page.ts'
import { paths } from '#web/paths.ts'
import { refusalOf } from '#web/server/host.ts'
import { serverPaths } from '#web/server/paths.ts'
import { Banner } from './banner.tsx'
import { ContactForm, type RefusedDraft } from './contact-form.tsx'
import { type Loaded, usePageData, useTexts, type Visit } from './page-data.ts'
import { Paragraphs } from './paragraphs.tsx'

export const handle: PageHandle = { flags: ['sent'] }
export const meta = pageMeta(msg('Contact'), {
  path: paths.contact,
  description: msg(
    'How to reach us: a form that keeps what you typed, our email address and our street address.',
  ),
})

/** Sends the message (P-11); an error returns the typed values. */
export async function act({ request, host }: Visit): Promise<Loaded<RefusedDraft> | Response> {
  const form = await request.formData()
  const text = (name: string) => String(form.get(name) ?? '')
  const typed = {
    name: text('name'),
    email: text('email'),
    emailSubject: text('emailSubject'),
    message: text('message'),
  }
  const { emailSubject: subject, ...rest } = typed
  try {
    const body = { ...rest, subject, website: text('website') }
    await host.call(newContactMessage, { body })
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    return { status: refusal.status, data: refusedDraft(typed, refusal) }
  }
  return new Response(null, { status: 303, headers: { Location: serverPaths.contactThanks } })
}

function refusedDraft(typed: Record<string, string>, { message, fields = {} }: AppError): RefusedDraft {
  const { subject, ...others } = fields
  return { typed, message, fields: subject === undefined ? others : { ...others, emailSubject: subject } }
}

/** Contact (P-10, P-11). */
export default function ContactPage() {
  const refused = usePageData<RefusedDraft>()
  const { contactLead } = useTexts()
  const sent = useSearchParams()[0].has('sent')
  return (
    <>
      <Banner title={t('Contact us')} crumb={t('Contact')}>
        {contactLead && <Paragraphs of="contactLead" text={contactLead} />}
        <p className="mt-3">
          <a className="prose-link" href={paths.faq}>
            {t('Questions and answers')}
          </a>
        </p>
      </Banner>
      <div className="page grid gap-x-24 gap-y-16 py-14 lg:grid-cols-[7fr_4fr] lg:py-20">
        {sent ? <Thanks /> : <ContactForm refused={refused} />}
        <Cards />
      </div>
    </>
  )
}

function Thanks() {
  return (
    <div role="status" className="grid content-start gap-5">
      <h2 className="display text-3xl">{t('Thank you. Your message has reached us')}</h2>
      <p className="max-w-xl text-ink-soft text-lg">{t("We'll reply by email.")}</p>
      <p className="flex flex-wrap gap-x-7 gap-y-3">
        <a className="prose-link" href={paths.contact}>
          {t('Send another message')}
        </a>
        <a className="prose-link" href={paths.home}>
          {t('Back to the home page')}
        </a>
      </p>
    </div>
  )
}

function Cards() {
  const { firm } = useSite()
  return (
    <div className="grid content-start gap-10">
      <section className="grid gap-3 border-ink border-t pt-5">
        <h2 className="display text-xl">{t('Address')}</h2>
        <address data-figure="firm" className="text-ink-soft not-italic">
          <FirmWords>{firm.legalName}</FirmWords>
          <br />
          <FirmWords>{firm.streetAddress}</FirmWords>
        </address>
      </section>
      <section className="grid gap-3 border-ink border-t pt-5">
        <h2 className="display text-xl">{t('Email')}</h2>
        <p>
          <a className="prose-link" dir="ltr" href={`mailto:${firm.supportEmail}`}>
            {firm.supportEmail}
          </a>
        </p>
      </section>
      {firm.phones.length > 0 && (
        <section className="grid gap-3 border-ink border-t pt-5">
          <h2 className="display text-xl">{t('Phone')}</h2>
          <ul data-figure="firm" className="grid gap-1">
            {firm.phones.map(number => (
              <li key={number}>
                <a
                  className="prose-link tabular-nums"
                  dir="ltr"
                  href={`tel:${number.replace(/[^+\d]/g, '')}`}
                >
                  {number}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="grid gap-3 border-ink border-t pt-5">
        <h2 className="display text-xl">{t('What we will never ask for')}</h2>
        <p className="text-ink-soft">
          {t(
            'Your password, a verification code, or a payment to release a withdrawal. Anyone asking for these in our name is an impostor. Please tell us.',
          )}
        </p>
      </section>
    </div>
  )
}
