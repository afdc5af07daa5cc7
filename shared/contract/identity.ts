import { z } from 'zod'
import { countryNames } from '#shared/countries.ts'
import { attachmentTypes } from '#shared/evidence.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import {
  checkDecisions,
  checkKinds,
  checkStatuses,
  documentKinds,
  experiences,
  fundsSources,
  identityFileKinds,
  identityLevels,
  lossBearings,
  sessionOutcomes,
} from '#shared/identity.ts'
import {
  identityPeriodDays,
  maximumIdentityFileBytes,
  mostFundsFiles,
  unsentIdentityHours,
} from '#shared/limits.ts'
import { defineCall, fileContent } from './define.ts'
import {
  day,
  idParams,
  nothing,
  personName,
  reason,
  recordId,
  textBlock,
  textLine,
  timestamp,
  usd,
  usdNumber,
} from './fields.ts'
import { checkFile, checkTable } from './tables.ts'

/** What investors prove to staff: who they are, and where their money comes from (decision 180). */

const check = z.object({
  _id: recordId,
  kind: z.enum(checkKinds),
  status: z
    .enum(checkStatuses)
    .describe(
      'waiting for staff; verified; returned: it can be sent again, corrected; refused: we do not keep the person as a customer; cancelled by its owner',
    ),
  submittedAt: timestamp,
  decidedAt: timestamp.nullable(),
  reason: z.string().nullable().describe('Of what was returned or refused, for its owner'),
  expiresOn: z.string().nullable().describe('The last day on which what was verified counts, in UTC'),
})
export type OwnCheck = z.output<typeof check>

const storedFile = z.object({
  _id: recordId,
  kind: z.enum(identityFileKinds),
  type: z.enum(attachmentTypes),
  /** In bytes. */
  size: z.int(),
})
export type IdentityFile = z.output<typeof storedFile>

export const ownIdentity = defineCall({
  id: 'identity.own',
  method: 'GET',
  path: '/identity/own',
  permission: 'account',
  summary: 'What the caller has proved, what that allows, and what waits for more proof',
  message: msg('Your identity'),
  data: z.object({
    level: z.enum(identityLevels),
    /** The last day of the level, in UTC. */
    expiresOn: z.string().nullable(),
    /** Why we do not keep the caller as a customer. Their withdrawals have no limit then. */
    refused: z.object({ reason: z.string(), at: timestamp }).nullable(),
    /** True of a politically exposed person, who proves everything before any new investment (decision 181). */
    exposed: z.boolean(),
    /** The most that each level allows, of withdrawals and of investments; null: as much as one likes. */
    limits: z.object({ none: usd.nullable(), identity: usd.nullable() }),
    /** Withdrawals requested in so many days, and investments pending and active, declined and cancelled ones aside. */
    used: z.object({ withdrawals: usd, investments: usd, days: z.literal(identityPeriodDays) }),
    /** Pending requests beyond the limit, and what would let them go on. */
    waiting: z.object({
      withdrawals: z.int(),
      investments: z.int(),
      for: z.enum(checkKinds).nullable(),
    }),
    /** The newest first, at most 20. */
    checks: z.array(check),
    /** Files that wait to be sent with their form. */
    files: z.array(storedFile),
    /** The provider that checks documents in place of a form, if there is one. */
    provider: z
      .object({
        name: z.string(),
        session: z
          .object({
            /** Where to go through it; null while we prepare it. */
            url: z.string().nullable(),
            requestedAt: timestamp,
          })
          .nullable()
          .describe('One that is open'),
        last: z.enum(sessionOutcomes).nullable().describe('How the last one ended'),
      })
      .nullable(),
  }),
})
export type OwnIdentity = z.output<typeof ownIdentity.data>

const megabytes = maximumIdentityFileBytes / 1024 / 1024

export const uploadIdentityFile = defineCall({
  id: 'identity.upload',
  method: 'POST',
  path: '/identity/file',
  permission: 'account',
  verified: true,
  upload: { field: 'file', types: attachmentTypes, maximumBytes: maximumIdentityFileBytes },
  summary: `Uploads a document or a selfie as a PDF, PNG or JPEG of at most ${megabytes} MB; the request's body is the file itself. It is stored encrypted, replaces one of the same kind (but up to three proofs of funds stay), and is deleted unless it is sent with its form within ${unsentIdentityHours} hours`,
  message: msg('File uploaded'),
  query: z.object({ kind: z.enum(identityFileKinds, { error: () => t('Choose what the file shows') }) }),
  data: storedFile,
  refusals: ['payload_too_large', 'unsupported_media_type', 'wrong_state'],
})

export const removeIdentityFile = defineCall({
  id: 'identity.removeFile',
  method: 'POST',
  path: '/identity/file/remove/:id',
  permission: 'account',
  summary: 'Deletes one of the caller’s files that waits to be sent',
  message: msg('File removed'),
  params: idParams,
  data: nothing,
  refusals: ['forbidden'],
})

const noDay = () => t('Enter the date as YYYY-MM-DD')
const country = (label: string) =>
  z.enum(countryNames, {
    error: ({ input }) =>
      input ? t('Choose a country from the list') : t('{label} is required', { label: translate(label) }),
  })

/** As it is in the document. */
export const identityDetails = z.object({
  name: personName,
  birth: z.iso.date({ error: noDay }),
  nationality: country(msg('Nationality')),
  address: textBlock(msg('Address'), 400),
  document: z.enum(documentKinds, { error: () => t('Choose a document from the list') }),
  /** As letters and digits. */
  number: textLine(msg('Number of the document'), 40),
  issuer: country(msg('Country that issued it')),
  ends: day.describe('The last day on which the document is valid'),
})
export type IdentityDetails = z.output<typeof identityDetails>

export const fundsDetails = z.object({
  occupation: textLine(msg('Occupation'), 120),
  source: z.enum(fundsSources, { error: () => t('Choose where the money comes from') }),
  explanation: textBlock(msg('Explanation'), 2000),
  yearly: usdNumber(msg('Amount')),
  experience: z.enum(experiences, { error: () => t('Choose how often') }),
  loss: z.enum(lossBearings, { error: () => t('Choose what a loss would mean') }),
})
export type FundsDetails = z.output<typeof fundsDetails>

export const returnedCheck = defineCall({
  id: 'identity.returned',
  method: 'GET',
  path: '/identity/returned',
  permission: 'account',
  summary:
    'What the caller sent and we returned for a correction, with the files that can be sent again; nothing once it was sent again, or deleted. The audit log keeps each opening',
  message: msg('What you have sent'),
  query: z.object({
    kind: z.enum(checkKinds, {
      error: () => t('Choose one of {choices}', { choices: checkKinds.join(', ') }),
    }),
  }),
  data: z.object({
    identity: identityDetails
      .extend({ address: z.string().nullable().describe('null if a provider did not tell it') })
      .nullable(),
    funds: fundsDetails.nullable(),
    files: z.array(storedFile),
  }),
})

const kept = z
  .array(recordId)
  .max(mostFundsFiles)
  .optional()
  .describe(
    'Files of the returned check that are sent again, each unless a file that was uploaded since replaces it: proofs of funds are added',
  )

export const sendIdentity = defineCall({
  id: 'identity.send',
  method: 'POST',
  path: '/identity/new',
  permission: 'account',
  verified: true,
  money: true,
  summary: 'Sends the caller’s proof of identity, with the files that were uploaded for it, to be checked',
  message: msg('Sent. We will check it and tell you'),
  body: identityDetails.extend({ kept }),
  data: check,
  refusals: ['wrong_state'],
})

export const sendFunds = defineCall({
  id: 'identity.sendFunds',
  method: 'POST',
  path: '/identity/funds/new',
  permission: 'account',
  verified: true,
  money: true,
  summary:
    'Sends where the caller’s money comes from, and answers about suitability, with the files that were uploaded for it',
  message: msg('Sent. We will check it and tell you'),
  body: fundsDetails.extend({ kept }),
  data: check,
  refusals: ['wrong_state'],
})

export const startIdentitySession = defineCall({
  id: 'identity.startSession',
  method: 'POST',
  path: '/identity/session/new',
  permission: 'account',
  verified: true,
  money: true,
  summary:
    'Asks for a session with the provider that checks documents; its address is in identity.own once it is prepared',
  message: msg('We are preparing it'),
  data: nothing,
  refusals: ['wrong_state'],
})

export const cancelIdentitySession = defineCall({
  id: 'identity.cancelSession',
  method: 'POST',
  path: '/identity/session/cancel',
  permission: 'account',
  summary: 'Ends the caller’s open session with the provider; what it finds afterwards is not read',
  message: msg('Cancelled'),
  data: nothing,
  refusals: ['wrong_state'],
})

export const cancelCheck = defineCall({
  id: 'identity.cancel',
  method: 'POST',
  path: '/identity/cancel/:id',
  permission: 'account',
  summary: 'Cancels what the caller sent and nobody has decided. Its files and answers are deleted at once',
  message: msg('Cancelled. We have deleted what you sent'),
  params: idParams,
  data: check,
  refusals: ['forbidden', 'wrong_state'],
})

const listedCheck = check.extend({
  user: recordId,
  userName: z.string(),
  decidedBy: z.string().nullable(),
  /** When its documents were deleted. */
  erasedAt: timestamp.nullable(),
})
export type IdentityCheck = z.output<typeof listedCheck>

export const listChecks = defineCall({
  id: 'identity.list',
  method: 'GET',
  path: '/identity/get-all',
  permission: 'identity',
  list: true,
  summary:
    'What investors sent to prove their identity and the source of their money, the newest first unless sorted',
  message: msg('Identity checks'),
  query: checkTable,
  data: z.array(listedCheck),
})

export const checksCsv = defineCall({
  id: 'identity.csv',
  method: 'GET',
  path: '/identity/get-all.csv',
  permission: 'identity',
  file: 'text/csv',
  summary:
    'Identity checks as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows, without what was sent',
  message: msg('Identity checks as CSV'),
  query: checkFile,
  data: fileContent,
})

export const getCheck = defineCall({
  id: 'identity.getOne',
  method: 'GET',
  path: '/identity/get-one/:id',
  permission: 'identity',
  summary: 'One identity check: whose it is, its files by kind, who opened it; not what was sent',
  message: msg('Identity check'),
  params: idParams,
  data: listedCheck.extend({
    person: z.object({
      email: z.string(),
      phone: z.string(),
      country: z.string(),
      since: timestamp,
      level: z.enum(identityLevels),
      frozen: z.boolean(),
      /** A politically exposed person (decision 181). */
      exposed: z.boolean(),
    }),
    /** Who decided it: only somebody else can correct a refusal. */
    decider: recordId.nullable(),
    files: z.array(storedFile),
    /** Who compared the document with the face, if not staff. */
    provider: z.string().nullable(),
    /** Each opening of its answers and of a file, the newest first, at most 100. */
    views: z.array(
      z.object({ by: z.string(), at: timestamp, what: z.enum(['answers', ...identityFileKinds]) }),
    ),
    /** True if the caller has opened it, which deciding needs. */
    opened: z.boolean(),
    /** Others of the same person, the newest first, at most 100. */
    others: z.array(listedCheck),
    /** Pending requests that wait for it. */
    waiting: z.object({ withdrawals: z.int(), investments: z.int() }),
  }),
  refusals: ['not_found'],
})

export const openCheck = defineCall({
  id: 'identity.open',
  method: 'POST',
  path: '/identity/open/:id',
  permission: 'identity',
  summary: 'Opens what was sent with a check. The audit log names who opened it',
  message: msg('Opened'),
  params: idParams,
  data: z.object({
    identity: identityDetails
      .extend({ address: z.string().nullable().describe('null if a provider did not tell it') })
      .nullable(),
    funds: fundsDetails.nullable(),
  }),
  refusals: ['not_found', 'wrong_state'],
})

export const identityFile = defineCall({
  id: 'identity.file',
  method: 'GET',
  path: '/identity/file/:id',
  permission: 'identity',
  file: attachmentTypes,
  summary: 'A file of a check. The audit log names who opened it',
  message: msg('File'),
  params: idParams,
  data: fileContent,
  refusals: ['not_found'],
})

export const decideCheck = defineCall({
  id: 'identity.decide',
  method: 'POST',
  path: '/identity/decide/:id',
  permission: 'identity',
  money: true,
  summary:
    'Decides a check that the caller has opened. A refusal declines the person’s pending investments and lifts the limit of their withdrawals, so that they get all of their money; another person can correct it to returned',
  message: msg('Decided'),
  messageFor: ({ status }: IdentityCheck) =>
    status === 'verified'
      ? t('Verified')
      : status === 'returned'
        ? t('Returned, with your reason')
        : t('Refused. Their pending investments are declined, and they can withdraw everything'),
  params: idParams,
  body: z.object({
    decision: z.enum(checkDecisions, {
      error: () => t('Choose one of {choices}', { choices: checkDecisions.join(', ') }),
    }),
    /** For the person. Needed unless it is verified. */
    reason: reason.optional(),
    corrects: z
      .boolean()
      .optional()
      .describe('True to correct the refusal of another person to returned; else that is refused'),
  }),
  data: listedCheck,
  refusals: ['forbidden', 'not_found', 'wrong_state', 'own_request'],
})
