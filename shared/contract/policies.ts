import { z } from 'zod'
import { languageCodes, translatedLanguages } from '#shared/i18n/languages.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { leastAge, longestPolicy, longestPolicyBody, longestPolicyChanges } from '#shared/limits.ts'
import { policyKinds } from '#shared/policies.ts'
import { defineCall, listQuery } from './define.ts'
import {
  day,
  nothing,
  reason,
  recordId,
  textBlock,
  timestamp,
  versionNumber,
  versionOrNone,
} from './fields.ts'

/**
 * The firm's terms, privacy notice and the like, in versions with translations, and who has accepted the terms (decisions 170 and 183).
 */

const kind = z.enum(policyKinds, {
  error: () => t('Choose one of {choices}', { choices: policyKinds.join(', ') }),
})

/** By the day in UTC; of several versions that have come into force, the newest is current. */
export const policyStatuses = ['upcoming', 'current', 'past'] as const

const policyVersion = z.object({
  version: z.int(),
  /** Of the text and the changes: that of the request, or English, the original. */
  language: z.enum(languageCodes),
  /** The translation that it is; null: the original. */
  translation: recordId.nullable(),
  /** First day in force, in UTC. */
  from: z.string(),
  /** What changed since the version before; null on the first. */
  changes: z.string().nullable(),
  /** Markdown. */
  text: z.string(),
  status: z.enum(policyStatuses),
  /** Of these words: a translation may come later than its version. */
  publishedAt: timestamp,
})
export type PolicyVersion = z.output<typeof policyVersion>

export const getPolicy = defineCall({
  id: 'policy.get',
  method: 'GET',
  path: '/policy/get/:kind',
  permission: 'public',
  summary:
    'A policy of the firm: the version in force, one that will come into force, and the latest past ones, newest first. Each is in the language asked for, or of Accept-Language, where the firm has translated it',
  message: msg('Policy'),
  params: z.object({ kind }),
  query: z.object({
    /** One version instead, however old. */
    version: z.coerce.number().pipe(versionNumber).optional(),
    language: z.enum(languageCodes, { error: () => t('Choose a language from the list') }).optional(),
  }),
  data: z.array(policyVersion),
  refusals: ['not_found'],
})

const writtenPolicy = policyVersion.extend({
  _id: recordId,
  kind,
  reason: z.string(),
  proposedBy: z.string(),
  approvedBy: z.string(),
  /** Investors who have accepted it; null for a policy that nobody accepts. */
  acceptances: z.int().nullable(),
  translations: z.array(z.enum(translatedLanguages)),
})
export type WrittenPolicy = z.output<typeof writtenPolicy>

export const listPolicies = defineCall({
  id: 'policy.list',
  method: 'GET',
  path: '/policy/get-all',
  permission: 'manage',
  list: true,
  summary: "All versions of the firm's policies, newest first; 'status' is upcoming, current or past",
  message: msg('Policies'),
  query: listQuery.extend({ kind: kind.optional() }),
  data: z.array(writtenPolicy),
})

const translation = z.object({
  text: textBlock(msg('Text'), longestPolicy),
  changes: textBlock(msg('What changes'), longestPolicyChanges).nullable(),
})
const translations = z.partialRecord(z.enum(translatedLanguages), translation)
/** Of a published version: without a text the translation is removed, and the original is read. */
const changedTranslation = translation.extend({ text: translation.shape.text.nullable() })
const changedTranslations = z.partialRecord(z.enum(translatedLanguages), changedTranslation)
/** With the translation that was edited, so that another admin's change in between is not overwritten; null if there was none. */
const editedTranslations = z.partialRecord(
  z.enum(translatedLanguages),
  changedTranslation.extend({ replaces: recordId.nullable() }),
)
export type PolicyTranslations = z.output<typeof translations>
export type ChangedTranslations = z.output<typeof changedTranslations>

export const policyProposal = z.object({
  policy: kind,
  text: z.string(),
  changes: z.string().nullable(),
  from: z.string(),
  translations,
})
export const policyTranslationProposal = z.object({
  policy: kind,
  version: z.int(),
  translations: changedTranslations,
})

export const proposePolicy = defineCall({
  id: 'policy.propose',
  method: 'POST',
  path: '/policy/propose',
  permission: 'manage',
  money: true,
  summary:
    'Proposes a version of a policy, with translations if there are any. Once another admin approves it, everybody can read it',
  message: msg('Proposed. Another admin must approve it'),
  maximumBody: longestPolicyBody,
  body: z.object({
    kind,
    text: textBlock(msg('Text'), longestPolicy),
    changes: textBlock(msg('What changes'), longestPolicyChanges).nullable(),
    from: day,
    version: versionOrNone,
    translations: translations.optional(),
    reason,
  }),
  data: z.object({ proposal: recordId }),
  refusals: ['wrong_state', 'proof_required'],
})

export const translatePolicy = defineCall({
  id: 'policy.translate',
  method: 'POST',
  path: '/policy/translate',
  permission: 'manage',
  money: true,
  summary:
    'Proposes translations of a published version, or to remove some. Once another admin approves, they are shown instead of former ones',
  message: msg('Proposed. Another admin must approve it'),
  maximumBody: longestPolicyBody,
  body: z.object({ kind, version: versionNumber, translations: editedTranslations, reason }),
  data: z.object({ proposal: recordId }),
  refusals: ['not_found', 'wrong_state', 'proof_required'],
})

/** The words that a person was shown and accepts: refused if they are no longer shown. */
export const shownTerms = z.object({
  version: versionNumber,
  /** The translation; null or left out: the original. */
  translation: recordId.nullable().optional(),
})
export type ShownTerms = z.output<typeof shownTerms>

/** A version that somebody has accepted, in the language that they were shown. */
export const acceptedTerms = z.object({ version: z.int(), language: z.enum(languageCodes), at: timestamp })

export const ownTerms = defineCall({
  id: 'policy.ownTerms',
  method: 'GET',
  path: '/policy/terms',
  permission: 'account',
  summary: 'Which versions of the terms the caller has accepted, and which one they should accept',
  message: msg('Terms'),
  data: z.object({
    /** Newest first. */
    accepted: z.array(acceptedTerms),
    /** The newest version, if it is not accepted; `needed` if it, or one before it that is not accepted either, is in force. */
    due: z
      .object({
        version: z.int(),
        from: z.string(),
        changes: z.string().nullable(),
        /** Of the changes, and of the text on the page. */
        language: z.enum(languageCodes),
        translation: recordId.nullable(),
        needed: z.boolean(),
      })
      .nullable(),
    /** The age in years that the caller stated when they registered; null if they were not asked. */
    statedAge: z.literal(leastAge).nullable(),
  }),
})

export const acceptTerms = defineCall({
  id: 'policy.accept',
  method: 'POST',
  path: '/policy/accept',
  permission: 'account',
  summary: "Accepts the newest version of the firm's terms; accepting it again changes nothing",
  message: msg('Terms accepted'),
  body: shownTerms,
  data: nothing,
  refusals: ['wrong_state', 'not_found'],
})
