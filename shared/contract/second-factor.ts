import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { secondFactorDigits } from '#shared/limits.ts'
import { login } from './accounts.ts'
import { defineCall } from './define.ts'
import { idParams, nothing, recordId, textLine, timestamp } from './fields.ts'

/**
 * Two-factor authentication: authenticator codes (RFC 6238) with recovery codes, and passkeys (WebAuthn), which are
 * both factors at once. Changing them needs a recent reauthentication.
 */

const code = z
  .string({ error: () => t('The code is required') })
  .trim()
  .min(1, { error: () => t('The code is required') })
  .max(40, { error: () => t('The code is too long') })
/** A code of the app, or a recovery code. */
const codeBody = z.object({ code })

const recoveryCodes = z.object({
  /** Shown only once: we store hashes. Each works once. */
  recoveryCodes: z.array(z.string()),
})

export const secondFactor = defineCall({
  id: 'auth.secondFactor',
  method: 'GET',
  path: '/auth/second-factor',
  permission: 'account',
  summary: 'Whether two-factor authentication is on, and how many recovery codes are left',
  message: msg('Your two-factor authentication'),
  data: z.object({ on: z.boolean(), since: timestamp.nullable(), recoveryCodesLeft: z.int() }),
})

export const beginSecondFactor = defineCall({
  id: 'auth.beginSecondFactor',
  method: 'POST',
  path: '/auth/second-factor/begin',
  permission: 'account',
  summary:
    'Creates a secret for an authenticator app, replacing one that was not confirmed; nothing else changes yet',
  message: msg('Add it to your app and enter the code that it shows'),
  data: z.object({
    /** Base32, for people to type. */
    secret: z.string(),
    /** The QR code's content: otpauth://totp/… */
    uri: z.string(),
  }),
  refusals: ['wrong_state', 'proof_required', 'forbidden', 'email_not_verified'],
})

export const confirmSecondFactor = defineCall({
  id: 'auth.confirmSecondFactor',
  method: 'POST',
  path: '/auth/second-factor/confirm',
  permission: 'account',
  summary: 'Turns on two-factor authentication with the first correct code; ends every other session',
  message: msg('Two-factor authentication turned on'),
  body: z.object({
    code: code.regex(new RegExp(`^(\\s*\\d){${secondFactorDigits}}$`), {
      error: () => t('The code has six digits'),
    }),
  }),
  data: recoveryCodes,
  refusals: ['wrong_state', 'invalid_code', 'too_many_tries', 'forbidden', 'email_not_verified'],
})

export const endSecondFactor = defineCall({
  id: 'auth.endSecondFactor',
  method: 'POST',
  path: '/auth/second-factor/off',
  permission: 'account',
  summary: 'Turns off two-factor authentication with an authenticator or recovery code',
  message: msg('Two-factor authentication turned off'),
  body: codeBody,
  data: nothing,
  refusals: ['wrong_state', 'invalid_code', 'too_many_tries', 'proof_required'],
})

export const renewRecoveryCodes = defineCall({
  id: 'auth.renewRecoveryCodes',
  method: 'POST',
  path: '/auth/second-factor/recovery-codes',
  permission: 'account',
  summary:
    'Creates new recovery codes, confirmed by an authenticator or recovery code; earlier ones stop working',
  message: msg('New recovery codes created'),
  body: codeBody,
  data: recoveryCodes,
  refusals: ['wrong_state', 'invalid_code', 'too_many_tries', 'proof_required'],
})

/** Bytes as WebAuthn's JSON writes them. */
const base64url = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[\w-]+$/)
const publicKey = z.literal('public-key')
const required = z.literal('required')

/**
 * The common part of an authenticator's answers (WebAuthn 3, RegistrationResponseJSON and AuthenticationResponseJSON).
 */
const credential = z.object({
  id: base64url(1400),
  rawId: base64url(1400),
  type: publicKey,
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  clientExtensionResults: z.object({}),
})
const registration = credential.extend({
  response: z.object({
    clientDataJSON: base64url(4000),
    attestationObject: base64url(20_000),
    transports: z
      .array(z.string().regex(/^[\w-]{1,32}$/))
      .max(10)
      .optional(),
  }),
})
const assertion = credential.extend({
  response: z.object({
    clientDataJSON: base64url(4000),
    authenticatorData: base64url(4000),
    signature: base64url(8000),
    userHandle: base64url(100).optional(),
  }),
})
export type Registration = z.output<typeof registration>
export type Assertion = z.output<typeof assertion>

const knownCredential = z.object({ id: z.string(), type: publicKey, transports: z.array(z.string()) })

/** Argument of `navigator.credentials.create`. */
const creationOptions = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: publicKey })),
  /** Milliseconds. */
  timeout: z.int(),
  excludeCredentials: z.array(knownCredential),
  authenticatorSelection: z.object({
    residentKey: required,
    requireResidentKey: z.literal(true),
    userVerification: required,
  }),
  attestation: z.literal('none'),
})
export type CreationOptions = z.output<typeof creationOptions>

/** Argument of `navigator.credentials.get`. */
const requestOptions = z.object({
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.int(),
  userVerification: required,
  /** Empty if any passkey of this site may answer. */
  allowCredentials: z.array(knownCredential),
})
export type RequestOptions = z.output<typeof requestOptions>

const passkey = z.object({
  _id: recordId,
  name: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable(),
  /** Its counter went back, so a copy may exist: it can no longer sign in. */
  refused: z.boolean(),
})
export type Passkey = z.output<typeof passkey>

export const passkeys = defineCall({
  id: 'auth.passkeys',
  method: 'GET',
  path: '/auth/passkeys',
  permission: 'account',
  summary: "The caller's passkeys, newest first, without pages",
  message: msg('Your passkeys'),
  data: z.array(passkey),
})

export const beginPasskey = defineCall({
  id: 'auth.beginPasskey',
  method: 'POST',
  path: '/auth/passkeys/begin',
  permission: 'account',
  summary: 'Options for creating a passkey, with a challenge that is valid for five minutes',
  message: msg('Confirm with your device'),
  data: creationOptions,
  refusals: ['wrong_state', 'proof_required', 'forbidden', 'email_not_verified'],
})

export const addPasskey = defineCall({
  id: 'auth.addPasskey',
  method: 'POST',
  path: '/auth/passkeys',
  permission: 'account',
  summary: 'Adds the passkey that the authenticator created',
  message: msg('Passkey added'),
  body: z.object({ name: textLine(msg('Name'), 60), response: registration }),
  data: passkey,
  refusals: ['invalid_passkey', 'wrong_state', 'proof_required', 'forbidden', 'email_not_verified'],
})

export const removePasskey = defineCall({
  id: 'auth.removePasskey',
  method: 'DELETE',
  path: '/auth/passkeys/:id',
  permission: 'account',
  summary: "Removes one of the caller's passkeys, which can no longer log in; ends every other session",
  message: msg('Passkey removed'),
  params: idParams,
  data: nothing,
  refusals: ['forbidden', 'proof_required'],
})

export const beginPasskeyLogin = defineCall({
  id: 'auth.beginPasskeyLogin',
  method: 'POST',
  path: '/auth/login/passkey/begin',
  permission: 'public',
  summary: 'Options for logging in with a passkey, with a challenge that is valid for five minutes',
  message: msg('Confirm with your device'),
  data: requestOptions,
  refusals: ['wrong_state'],
})

export const loginByPasskey = defineCall({
  id: 'auth.loginByPasskey',
  method: 'POST',
  path: '/auth/login/passkey',
  permission: 'public',
  summary: 'Logs in with a passkey, which is both factors at once',
  message: login.message,
  body: z.object({ response: assertion, device: login.body.shape.device }),
  data: login.data,
  refusals: ['invalid_passkey'],
})

export const beginPasskeyReauthentication = defineCall({
  id: 'auth.beginPasskeyProof',
  method: 'POST',
  path: '/auth/proof/passkey/begin',
  permission: 'account',
  summary: "Options for reauthenticating with one of the caller's passkeys",
  message: msg('Confirm with your device'),
  data: requestOptions,
  refusals: ['wrong_state'],
})

export const reauthenticateByPasskey = defineCall({
  id: 'auth.proveByPasskey',
  method: 'POST',
  path: '/auth/proof/passkey',
  permission: 'account',
  summary: "Reauthenticates with one of the caller's passkeys, which counts as password and code together",
  message: msg('Thank you'),
  body: z.object({ response: assertion }),
  data: nothing,
  refusals: ['invalid_passkey'],
})
