import { z } from 'zod'
import { depositMethods, withdrawalWallets } from '#shared/coins.ts'
import { conversationStatuses } from '#shared/conversations.ts'
import { firmTextNames } from '#shared/firm-texts.ts'
import { translatedLanguages } from '#shared/i18n/languages.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { longestMessage, longestSubject } from '#shared/limits.ts'
import { policyKinds } from '#shared/policies.ts'
import { about, attachment, attachments } from './conversations.ts'
import { defineCall, fileContent } from './define.ts'
import {
  emailAddress,
  id,
  idParams,
  lineNumber,
  nothing,
  reasonBody,
  recordId,
  textBlock,
  textLine,
  timestamp,
} from './fields.ts'
import { firmTexts, firmTranslations } from './firm-texts.ts'
import { auditFile, auditTable, messageFile, messageTable } from './tables.ts'

const profileFields = z.object({
  productName: z.string(),
  legalName: z.string(),
  registrationNumber: z.string().nullable(),
  regulator: z.string().nullable(),
  licence: z.string().nullable(),
  /** Set if the firm is not regulated; shown on every page. */
  unregulatedStatement: z.string().nullable(),
  streetAddress: z.string(),
  supportEmail: z.string(),
  phones: z.array(z.string()),
  jurisdictions: z.string(),
  riskStatement: z.string(),
  /** Shown in About (D2). */
  foundedYear: z.int(),
  /** Shown in the footer's copyright line (D2). */
  onlineSince: z.int(),
  texts: firmTexts,
})

/** The profile as it is stored: its texts in the firm's language, English, and their translations. */
export const firmProfile = profileFields.extend({ translations: firmTranslations })
export type FirmProfile = z.output<typeof firmProfile>

/** What a version replaced in the one before, with the former values; null is a translation that was not there. */
export const replacedInFirm = profileFields.partial().extend({
  texts: firmTexts.partial(),
  translations: firmTranslations,
})
export type ReplacedInFirm = z.output<typeof replacedInFirm>

/** The profile in one language (shared/firm-in-language.ts). */
export const firmInLanguage = profileFields.extend({
  /** Texts that have no translation into the language, so that they are in English. */
  untranslated: z.array(z.enum(firmTextNames)),
})
export type FirmInLanguage = z.output<typeof firmInLanguage>

/** A figure about the firm's business, always with its source (D1.3). */
export const statistic = z.object({
  label: z.string(),
  value: z.string(),
  /** 'ledger' is computed, 'claim' entered with a source, 'sample' the demonstration's. */
  kind: z.enum(['ledger', 'claim', 'sample']),
  source: z.string(),
  /** Where anyone can check a claim; null if its evidence is not a link. */
  link: z.url().nullable(),
  asOf: timestamp,
})
export type Statistic = z.output<typeof statistic>

export const site = defineCall({
  id: 'site.get',
  method: 'GET',
  path: '/site',
  permission: 'public',
  summary:
    "The firm's profile in the language of Accept-Language, the mode, statistics with source and 'as of', and settings for the pages",
  message: msg('Site'),
  data: z.object({
    mode: z.enum(['demo', 'live']),
    firm: firmInLanguage,
    /** The files of the firm's own look; null for the product's. */
    brand: z
      .object({ stylesheet: z.string(), pictures: z.array(z.string()), icon: z.string().nullable() })
      .nullable(),
    statistics: z.array(statistic),
    /** When the ledger was last verified, whether it was sound, and the last day that is published for everybody to check. */
    books: z.object({
      checkedAt: timestamp.nullable(),
      ok: z.boolean().nullable(),
      publishedUntil: z.string().nullable(),
    }),
    /** The deposit methods with an address or an extended key. */
    depositMethods: z.array(z.enum(depositMethods)),
    /** The wallets that withdrawals can be paid to (WITHDRAWAL_COINS). */
    withdrawalWallets: z.array(z.enum(withdrawalWallets)),
    /** Above this amount, in USD, a withdrawal needs two admins (D7). */
    largeWithdrawal: z.number(),
    /** A smaller withdrawal, in USD, must take the whole available balance (D7). */
    minimumWithdrawal: z.number(),
    /** How long the rate of a payment request is locked. */
    paymentWindowMinutes: z.int(),
    /** False while nobody can request a deposit. */
    depositsOpen: z.boolean(),
    /** False while nobody can open an account. */
    registrationOpen: z.boolean(),
    /** The firm's policies in force, and the day on which another version follows. */
    policies: z.array(
      z.object({
        kind: z.enum(policyKinds),
        version: z.int(),
        from: z.string(),
        nextFrom: z.string().nullable(),
        /** The translations that are shown. */
        translations: z.partialRecord(z.enum(translatedLanguages), recordId),
      }),
    ),
    /** How long a new withdrawal address waits before it can be used, in hours. */
    addressWaitHours: z.int(),
    /** The live chat's provider and frame address; null if none is configured (P-13). */
    liveChat: z.object({ provider: z.string(), frame: z.url() }).nullable(),
    /** True if the demonstration's local chain can pay deposits (DEMO_CHAIN). */
    demoWallet: z.boolean(),
  }),
})

/**
 * Only a `good` price makes quotes. `stale`: older than five minutes. `disputed`: the sources disagree. `alone`: only one
 * source has it (decision 26).
 */
export const priceStates = ['good', 'stale', 'disputed', 'alone'] as const
export type PriceState = (typeof priceStates)[number]

export const prices = defineCall({
  id: 'price.getAll',
  method: 'GET',
  path: '/price/get-all',
  permission: 'public',
  summary: 'The rates with their sources and age (C-30)',
  message: msg('Prices'),
  data: z.array(
    z.object({
      symbol: z.string(),
      name: z.string(),
      /** USD for one unit, as text with thousands commas. */
      usd: z.string(),
      /** The sources of the median, and their number. */
      source: z.string(),
      sources: z.int(),
      /** Sources whose reading is too far from the others to count. */
      rejected: z.array(z.string()),
      /** The time of its oldest reading. */
      at: timestamp,
      ageSeconds: z.int(),
      /** True if it makes no quotes; `state` says why. */
      stale: z.boolean(),
      state: z.enum(priceStates),
      /** From the bundled sample series, not a market. */
      sample: z.boolean(),
    }),
  ),
})

/** A circuit breaker. `closed`: polled every minute. `open`: paused after failures. `half_open`: one more poll decides. */
export const breakerStates = ['closed', 'open', 'half_open'] as const
export type BreakerState = (typeof breakerStates)[number]

/** Only a `counted` reading makes the price. */
export const readingStandings = ['counted', 'rejected', 'stale', 'disputed'] as const
export type ReadingStanding = (typeof readingStandings)[number]

export const listPriceSources = defineCall({
  id: 'price.sources',
  method: 'GET',
  path: '/price/sources',
  permission: 'console',
  summary:
    "Each price source: its breaker, last reading and last error; and each source's reading of each coin",
  message: msg('Price sources'),
  data: z.object({
    sources: z.array(
      z.object({
        source: z.string(),
        /** The bundled sample series, which needs no polling. */
        sample: z.boolean(),
        breaker: z.enum(breakerStates),
        /** Consecutive failures. */
        failures: z.int(),
        /** The next poll; null while it is polled every minute. */
        restUntil: timestamp.nullable(),
        /** Null before the first poll. */
        askedAt: timestamp.nullable(),
        /** When it last answered with a price. */
        answeredAt: timestamp.nullable(),
        /** The newest reading, or null. */
        reading: z.object({ at: timestamp, ageSeconds: z.int() }).nullable(),
        /** The last error. */
        fault: z.object({ words: z.string(), at: timestamp }).nullable(),
      }),
    ),
    coins: z.array(
      z.object({
        symbol: z.string(),
        name: z.string(),
        /** USD for one unit; null without a price or if the sources disagree. */
        usd: z.string().nullable(),
        /** Null if no source has ever had one. */
        state: z.enum(priceStates).nullable(),
        readings: z.array(
          z.object({
            source: z.string(),
            usd: z.string(),
            at: timestamp,
            ageSeconds: z.int(),
            standing: z.enum(readingStandings),
          }),
        ),
      }),
    ),
    asOf: timestamp,
  }),
})

export const newContactMessage = defineCall({
  id: 'contact.new',
  method: 'POST',
  path: '/contact/new',
  permission: 'public',
  summary: 'Sends a message to the firm: stored and emailed (P-11)',
  message: msg('Thank you. Your message has reached us'),
  body: z.object({
    name: textLine(msg('Name'), 120),
    email: emailAddress,
    subject: textLine(msg('Subject'), longestSubject),
    message: textBlock(msg('Message'), longestMessage),
    /** Honeypot: people leave it empty; a filled one is answered alike and dropped. */
    website: z.string().max(200).optional(),
  }),
  data: nothing,
  refusals: ['rate_limited'],
})

/** Staff who may answer messages. */
const teamMember = z.object({ _id: recordId, name: z.string() })

const contactMessage = z.object({
  _id: recordId,
  name: z.string(),
  email: z.string(),
  subject: z.string(),
  message: z.string(),
  /** The account of an investor who wrote it; null if it came from the contact form. */
  user: recordId.nullable(),
  /** True if the account's address is verified; null without an account. */
  isVerified: z.boolean().nullable(),
  /** The record of that investor that it is about. */
  about: about.nullable(),
  createdAt: timestamp,
  /** When either side last wrote. */
  lastAt: timestamp,
  status: z.enum(conversationStatuses),
  /** When and by whom it was last marked as answered. */
  answeredAt: timestamp.nullable(),
  answeredBy: z.string().nullable(),
  /** The member of staff who takes care of it. */
  assigned: teamMember.nullable(),
})
export type ContactMessage = z.output<typeof contactMessage>

export const listContactMessages = defineCall({
  id: 'contact.list',
  method: 'GET',
  path: '/contact/get-all',
  permission: 'care',
  list: true,
  summary: `Messages to the firm, newest first unless sorted: from the contact form and of investors; 'status' is ${conversationStatuses.join(', ')}`,
  message: msg('Messages'),
  query: messageTable,
  data: z.array(contactMessage),
})

export const getContactMessage = defineCall({
  id: 'contact.getOne',
  method: 'GET',
  path: '/contact/get-one/:id',
  permission: 'care',
  summary: 'A message to the firm with its replies and notes, oldest first',
  message: msg('Message'),
  params: idParams,
  data: contactMessage.extend({
    /** Those of the first message. */
    files: z.array(attachment),
    thread: z.array(
      z.object({
        _id: recordId,
        /**
         * 'message' is its sender's, 'reply' ours. The others are for staff: 'note' says how it was answered, 'comment' is any
         * note, 'reopened' and 'closed' are reasons.
         */
        kind: z.enum(['message', 'reply', 'note', 'comment', 'reopened', 'closed']),
        text: z.string(),
        by: z.string(),
        /** Anybody who reads their email could have written it. */
        byEmail: z.boolean(),
        at: timestamp,
        files: z.array(attachment),
      }),
    ),
  }),
  refusals: ['not_found'],
})

export const replyToMessage = defineCall({
  id: 'contact.reply',
  method: 'POST',
  path: '/contact/reply/:id',
  permission: 'care',
  // Needs an idempotency key: a duplicate email cannot be undone.
  money: true,
  summary:
    'Sends a reply to the sender of a message, by email and to an investor on the dashboard too, and marks the message as answered',
  message: msg('Reply sent'),
  params: idParams,
  body: z.object({ text: textBlock(msg('Reply'), longestMessage), files: attachments }),
  data: contactMessage,
  refusals: ['not_found', 'wrong_state'],
})

export const answerMessage = defineCall({
  id: 'contact.answered',
  method: 'POST',
  path: '/contact/answered/:id',
  permission: 'care',
  summary: 'Marks a message as answered in another way, with a note for staff',
  message: msg('Message marked as answered'),
  params: idParams,
  body: z.object({ note: textBlock(msg('Note'), 1000) }),
  data: contactMessage,
  refusals: ['not_found', 'wrong_state'],
})

export const reopenMessage = defineCall({
  id: 'contact.reopen',
  method: 'POST',
  path: '/contact/reopen/:id',
  permission: 'care',
  summary: 'Marks an answered or closed message as open again',
  message: msg('Message reopened'),
  params: idParams,
  body: reasonBody,
  data: contactMessage,
  refusals: ['not_found', 'wrong_state'],
})

export const closeMessage = defineCall({
  id: 'contact.close',
  method: 'POST',
  path: '/contact/close/:id',
  permission: 'care',
  summary: 'Closes a message, with a reason for staff. Its sender can reopen it by writing again',
  message: msg('Message closed'),
  params: idParams,
  body: reasonBody,
  data: contactMessage,
  refusals: ['not_found', 'wrong_state'],
})

export const commentMessage = defineCall({
  id: 'contact.comment',
  method: 'POST',
  path: '/contact/comment/:id',
  permission: 'care',
  summary: 'Adds a note for staff to a message',
  message: msg('Note added'),
  params: idParams,
  body: z.object({ text: textBlock(msg('Note'), 1000) }),
  data: contactMessage,
  refusals: ['not_found'],
})

export const assignMessage = defineCall({
  id: 'contact.assign',
  method: 'POST',
  path: '/contact/assign/:id',
  permission: 'care',
  summary: 'Assigns a message to a member of staff, or with null to nobody',
  message: msg('Message assigned'),
  messageFor: ({ assigned }: ContactMessage) =>
    assigned ? t('Assigned to {name}', { name: assigned.name }) : t('Assigned to nobody'),
  params: idParams,
  body: z.object({ to: id.nullable() }),
  data: contactMessage,
  refusals: ['not_found', 'wrong_state'],
})

export const listTeam = defineCall({
  id: 'contact.team',
  method: 'GET',
  path: '/contact/team',
  permission: 'care',
  summary: 'The members of staff who may answer messages',
  message: msg('Staff who answer messages'),
  data: z.array(teamMember),
})

export const contactMessagesCsv = defineCall({
  id: 'contact.csv',
  method: 'GET',
  path: '/contact/get-all.csv',
  permission: 'care',
  file: 'text/csv',
  summary:
    'Messages as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list: every matching row',
  message: msg('Messages as CSV'),
  query: messageFile,
  data: fileContent,
})

export const listAudit = defineCall({
  id: 'audit.list',
  method: 'GET',
  path: '/audit/get-all',
  permission: 'log',
  list: true,
  summary:
    "Who did what, when, from where and why, newest first; 'status' is an action, 'q' also a person's name, a record's number or a request's id",
  message: msg('Audit log'),
  query: auditTable,
  data: z.array(
    z.object({
      _id: lineNumber,
      at: timestamp,
      actor: recordId.nullable(),
      actorName: z.string().nullable(),
      /** True if the actor is an API key of the firm, not an account. */
      byApiKey: z.boolean(),
      action: z.string(),
      subjectKind: z.string().nullable(),
      subject: recordId.nullable(),
      /** A record's number or a person's name; null once it is no longer stored. */
      subjectName: z.string().nullable(),
      reason: z.string().nullable(),
      ip: z.string().nullable(),
      requestId: z.string().nullable(),
      details: z.record(z.string(), z.unknown()),
    }),
  ),
})

export const auditCsv = defineCall({
  id: 'audit.csv',
  method: 'GET',
  path: '/audit/get-all.csv',
  permission: 'log',
  file: 'text/csv',
  summary:
    'Audit log as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list: every matching row',
  message: msg('Audit log as CSV'),
  query: auditFile,
  data: fileContent,
})

export const demoMailbox = defineCall({
  id: 'demo.mailbox',
  method: 'GET',
  path: '/demo/mailbox',
  permission: 'public',
  summary: 'Demonstration mode only: the newest emails (at most 50), optionally of one address',
  message: msg('Mailbox'),
  query: z.object({ to: emailAddress.optional() }),
  data: z.array(
    z.object({
      to: z.string(),
      subject: z.string(),
      text: z.string(),
      html: z.string(),
      createdAt: timestamp,
    }),
  ),
  refusals: ['not_found'],
})

export const health = defineCall({
  id: 'site.health',
  method: 'GET',
  path: '/health',
  permission: 'public',
  summary: 'The process is alive',
  message: msg('Alive'),
  data: nothing,
})

export const ready = defineCall({
  id: 'site.ready',
  method: 'GET',
  path: '/ready',
  permission: 'public',
  summary: 'Able to serve: database reachable and migrated',
  message: msg('Ready'),
  data: nothing,
  refusals: ['not_ready'],
})
