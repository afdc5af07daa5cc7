import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  type WebAuthnError,
} from '@simplewebauthn/browser'
import type {
  Assertion,
  CreationOptions,
  Registration,
  RequestOptions,
} from '#shared/contract/second-factor.ts'
import { t } from '#shared/i18n/t.ts'
import { toast } from '#web/ui/toast.ts'

/** Uses WebAuthn's library: import it dynamically, when a passkey is used. */

/** The new passkey, or undefined after a toast with the reason. */
export function makePasskey(options: CreationOptions): Promise<Registration | undefined> {
  return told(options.rp.id, async () => plain(await startRegistration({ optionsJSON: options })))
}

/** The passkey's answer, or undefined after a toast with the reason. */
export function answerByPasskey(options: RequestOptions): Promise<Assertion | undefined> {
  return told(options.rpId, async () => plain(await startAuthentication({ optionsJSON: options })))
}

/** We request no extensions. */
function plain<Answer extends { clientExtensionResults: unknown }>(answer: Answer) {
  const { clientExtensionResults: _, ...rest } = answer
  return { ...rest, clientExtensionResults: {} }
}

async function told<Answer>(domain: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    if (!browserSupportsWebAuthn()) return void toast.error(t('This browser does not support passkeys here'))
    return await ask()
  } catch (error) {
    const { name } = error as WebAuthnError
    if (isCancelled(name)) toast.plain(t('Not confirmed on your device. Try again when you are ready'))
    else toast.error(wordsOf(name, domain))
    return undefined
  }
}

function isCancelled(name: string): boolean {
  return name === 'NotAllowedError' || name === 'AbortError'
}

/** Messages for the browser's errors (WebAuthn 3, 5.1.3 and 5.1.4). */
function wordsOf(name: string, domain: string): string {
  switch (name) {
    case 'InvalidStateError':
      return t('This device already has a passkey for your account')
    case 'SecurityError':
      return t('Passkeys only work at {domain}. Open this page there', { domain })
    case 'ConstraintError':
    case 'NotSupportedError':
      return t('This device cannot store this kind of passkey. Try another one')
    default:
      return t('Your device could not complete this. Try again, or use another one')
  }
}
