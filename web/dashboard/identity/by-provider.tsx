import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import {
  cancelIdentitySession,
  type IdentityFile,
  type OwnIdentity,
  startIdentitySession,
} from '#shared/contract/identity.ts'
import { t } from '#shared/i18n/t.ts'
import type { SessionOutcome } from '#shared/identity.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import type { Begun } from './begun.tsx'
import { IdentityForm } from './identity-form.tsx'

type Provider = NonNullable<OwnIdentity['provider']>

function wordsFor(outcome: SessionOutcome, name: string): string | undefined {
  switch (outcome) {
    case 'declined':
      return t('{name} could not confirm your identity. You can try again, or send your documents to us.', {
        name,
      })
    case 'resubmit':
      return t('{name} needs better pictures. Please try again.', { name })
    case 'expired':
      return t('You did not finish the last check in time. You can begin again.')
    case 'unusable':
      return t(
        '{name} could not read all that we need from your document. Please send your documents to us below.',
        { name },
      )
    default:
      return undefined
  }
}

type ByProviderProps = { provider: Provider; files: readonly IdentityFile[]; begun: Begun }

/** Proof of identity with a provider, in pictures that the investor takes there; or in the form, with staff. */
export function ByProvider({ provider, files, begun }: ByProviderProps) {
  const { name, session, last } = provider
  const [isForm, setForm] = useState(false)
  if (session) return <OpenSession name={name} url={session.url} />
  const words = last && wordsFor(last, name)
  return (
    <div className="grid gap-6">
      {words && <p className="border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait">{words}</p>}
      <p className="max-w-prose">
        {t(
          'Our provider {name} compares your document with your face, in a few minutes on this device or your phone. {name} keeps the pictures by its own rules; we get what the document says. Then our team decides.',
          { name },
        )}
      </p>
      <div className="flex flex-wrap gap-3">
        <Begin name={name} />
        {!isForm && (
          <Button tone="quiet" onClick={() => setForm(true)}>
            {t('Send documents to us instead')}
          </Button>
        )}
      </div>
      {isForm && <IdentityForm files={files} begun={begun} />}
    </div>
  )
}

function Begin({ name }: { name: string }) {
  const { run, pending } = useMutation(startIdentitySession)
  return (
    <Button busy={pending} onClick={() => void run({})}>
      {t('Begin with {name}', { name })}
    </Button>
  )
}

function OpenSession({ name, url }: { name: string; url: string | null }) {
  const { run, pending } = useMutation(cancelIdentitySession)
  return (
    <div className="grid gap-4">
      <p role="status" className="max-w-prose">
        {url === null
          ? t('We are preparing your check with {name}. This takes a moment.', { name })
          : t(
              'Your check with {name} is ready. Once you have finished it there, the outcome appears here within minutes.',
              { name },
            )}
      </p>
      <div className="flex flex-wrap gap-3">
        {url !== null && (
          <a className={buttonClass()} href={url} rel="noreferrer">
            {t('Continue at {name}', { name })}
            <ExternalLink aria-hidden="true" className="rtl:-scale-x-100" />
          </a>
        )}
        <Button tone="quiet" busy={pending} onClick={() => void run({})}>
          {t('Cancel the check')}
        </Button>
      </div>
    </div>
  )
}
