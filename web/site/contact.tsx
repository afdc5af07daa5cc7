import type { ActionFunctionArgs } from 'react-router'
import { data, redirect, useActionData, useSearchParams } from 'react-router'
import { newContactMessage } from '#shared/contract/site.ts'
import type { AppError } from '#shared/errors.ts'
import { useSite } from '#web/frame.ts'
import { hostContext, refusalOf } from '#web/host.ts'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Banner } from './banner.tsx'
import { ContactForm, type RefusedDraft } from './contact-form.tsx'

export const meta = pageMeta('Contact', 'Write to us, or visit us.')

/** Takes the message (P-11); what was typed comes back with an error. */
export async function action({ request, context }: ActionFunctionArgs) {
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
    await context.get(hostContext).call(newContactMessage, { body })
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    return data<RefusedDraft>(refusedDraft(typed, refusal), { status: refusal.status })
  }
  return redirect(paths.contactThanks, 303)
}

function refusedDraft(typed: Record<string, string>, { message, fields = {} }: AppError): RefusedDraft {
  const { subject, ...others } = fields
  return { typed, message, fields: subject === undefined ? others : { ...others, emailSubject: subject } }
}

/** Contact (P-10, P-11). */
export default function ContactPage() {
  const refused = useActionData<typeof action>()
  const sent = useSearchParams()[0].has('sent')
  return (
    <>
      <Banner title="Contact us" crumb="Contact">
        <p>Ask before you invest. Your message goes to a person, not to a queue of canned answers.</p>
      </Banner>
      <div className="page grid gap-14 py-16 lg:grid-cols-[2fr_1fr] lg:gap-20">
        {sent ? <Thanks /> : <ContactForm refused={refused} />}
        <Cards />
      </div>
    </>
  )
}

function Thanks() {
  return (
    <div role="status" className="grid content-start gap-4">
      <h2 className="display text-2xl">Thank you. Your message has reached us</h2>
      <p className="max-w-xl text-ink-soft">
        We answer to the address that you gave, as a rule within two working days.
      </p>
      <p>
        <a className="prose-link" href={paths.contact}>
          Send another message
        </a>
      </p>
    </div>
  )
}

function Cards() {
  const { firm } = useSite()
  return (
    <div className="grid content-start gap-8">
      <section className="grid gap-2 border-rule border-t pt-5">
        <h2 className="font-semibold text-lg">Address</h2>
        <address className="text-ink-soft not-italic">
          {firm.legalName}
          <br />
          {firm.streetAddress}
        </address>
      </section>
      <section className="grid gap-2 border-rule border-t pt-5">
        <h2 className="font-semibold text-lg">Mail</h2>
        <p>
          <a className="prose-link" href={`mailto:${firm.supportEmail}`}>
            {firm.supportEmail}
          </a>
        </p>
      </section>
    </div>
  )
}
