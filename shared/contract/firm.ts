import { z } from 'zod'
import { phonePattern } from '#shared/account-rules.ts'
import { translatedLanguages } from '#shared/i18n/languages.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { defineCall, listQuery } from './define.ts'
import { versionChanges, versionFacts } from './entities.ts'
import {
  day,
  emailAddress,
  id,
  idParams,
  nothing,
  optionalReasonBody,
  reason,
  reasonBody,
  recordId,
  textLine,
  timestamp,
  versionNumber,
} from './fields.ts'
import { firmTexts, legalTexts, translatedTexts } from './firm-texts.ts'
import { firmProfile, replacedInFirm, statistic } from './site.ts'

/** The firm's profile and figures (N-14, D1.3, D2). */

const year = (label: string) =>
  z
    .int({ error: () => t('{label} must be a year, such as 2019', { label: translate(label) }) })
    .min(1600, { error: () => t('{label} must be 1600 or later', { label: translate(label) }) })
    .max(2200, { error: () => t('{label} can be at most 2200', { label: translate(label) }) })

const phone = textLine(msg('Phone'), 32).regex(phonePattern)

/** The profile's fields, for the console and a live installation's configuration; shared/firm.ts checks them together. */
export const firmFields = z.object({
  productName: textLine(msg('Product name'), 40),
  legalName: textLine(msg('Legal name'), 120),
  registrationNumber: textLine(msg('Registration number'), 80).nullable(),
  regulator: textLine(msg('Regulator'), 120).nullable(),
  licence: textLine(msg('Licence'), 80).nullable(),
  streetAddress: textLine(msg('Street address'), 200),
  supportEmail: emailAddress,
  phones: z
    .array(z.string({ error: () => t('Enter a list of phone numbers') }), {
      error: () => t('Enter a list of phone numbers'),
    })
    .max(5, { error: () => t('There can be at most 5 phone numbers') })
    .refine(list => list.every(text => phone.safeParse(text).success), {
      error: () => t('Enter valid phone numbers'),
    }),
  ...legalTexts,
  foundedYear: year(msg('Founded')),
  onlineSince: year(msg('Online since')),
  texts: firmTexts,
})

export const listFirmVersions = defineCall({
  id: 'firm.versions',
  method: 'GET',
  path: '/firm/get-all',
  permission: 'manage',
  list: true,
  summary:
    "The versions of the firm's profile, newest first, each with what it replaced; the newest is in force",
  message: msg("The firm's profile"),
  query: listQuery.pick({ limit: true, cursor: true }),
  data: z.array(
    versionFacts.extend({
      /** Of the version in force alone: those before it follow from what was replaced. */
      profile: firmProfile.nullable(),
      /** Null for the first version. */
      replaced: replacedInFirm.nullable(),
    }),
  ),
})

/** In bytes: also of a profile that is sent back with its translations. Arabic letters have two bytes each. */
const longestFirmBody = 512 * 1024

export const updateFirm = defineCall({
  id: 'firm.update',
  method: 'PUT',
  path: '/firm/update',
  permission: 'manage',
  maximumBody: longestFirmBody,
  summary: "Stores a new version of the firm's profile, which every page and email shows from then on",
  message: msg('Profile updated'),
  body: firmFields.extend({
    /** The version that was edited, so that another admin's change in between is not overwritten. */
    version: versionNumber,
    reason,
  }),
  data: firmProfile,
  refusals: ['wrong_state', 'not_ready', 'proof_required'],
})

export const translateFirm = defineCall({
  id: 'firm.translate',
  method: 'PUT',
  path: '/firm/translate',
  permission: 'manage',
  maximumBody: longestFirmBody,
  summary:
    'Stores a new version of the profile with texts in another language. Texts that are left out stay as they are; null shows the original. Each given text counts as checked against its original',
  message: msg('Translation saved'),
  body: z.object({
    language: z.enum(translatedLanguages, { error: () => t('Choose a language from the list') }),
    texts: translatedTexts,
    version: versionNumber,
    reason,
  }),
  data: firmProfile,
  refusals: ['wrong_state', 'not_ready', 'proof_required'],
})

/** Most figures, hidden ones included. */
export const mostStatistics = 50

const figure = {
  label: textLine(msg('Label'), 60),
  value: textLine(msg('Value'), 20),
  source: textLine(msg('Source'), 200),
  evidence: textLine(msg('Evidence'), 500),
  asOf: day,
}

const writtenStatistic = z.object({
  _id: recordId,
  version: z.int(),
  label: z.string(),
  value: z.string(),
  kind: z.enum(['claim', 'sample']),
  source: z.string(),
  /** A link or a reference; null on a sample. */
  evidence: z.string().nullable(),
  /** YYYY-MM-DD */
  asOf: z.string(),
  /** True if it is on the public site. */
  shown: z.boolean(),
  changedAt: timestamp,
})
export type WrittenStatistic = z.output<typeof writtenStatistic>

export const listStatistics = defineCall({
  id: 'statistic.list',
  method: 'GET',
  path: '/statistic/get-all',
  permission: 'manage',
  summary: `The figures about the firm's business: the ledger's, then the entered ones (at most ${mostStatistics}) in order`,
  message: msg('Figures'),
  data: z.object({
    /** Computed from the ledger, with the query as its source. Shown in live mode. */
    measured: z.array(statistic),
    written: z.array(writtenStatistic),
  }),
})

export const newStatistic = defineCall({
  id: 'statistic.new',
  method: 'POST',
  path: '/statistic/new',
  permission: 'manage',
  summary: 'Adds a figure to the site, with its source, date and evidence (D1.3)',
  message: msg('Figure added'),
  body: z.object({ ...figure, reason }),
  data: writtenStatistic,
})

export const updateStatistic = defineCall({
  id: 'statistic.update',
  method: 'PUT',
  path: '/statistic/:id',
  permission: 'manage',
  summary: 'Stores a new version of a shown figure',
  message: msg('Figure updated'),
  params: idParams,
  body: z.object({
    ...figure,
    version: versionNumber,
    reason,
  }),
  data: writtenStatistic,
  refusals: ['not_found', 'wrong_state'],
})

export const retireStatistic = defineCall({
  id: 'statistic.retire',
  method: 'POST',
  path: '/statistic/retire/:id',
  permission: 'manage',
  summary: 'Hides a figure from the site',
  message: msg('Figure hidden'),
  params: idParams,
  body: reasonBody,
  data: writtenStatistic,
  refusals: ['not_found', 'wrong_state'],
})

export const restoreStatistic = defineCall({
  id: 'statistic.restore',
  method: 'POST',
  path: '/statistic/restore/:id',
  permission: 'manage',
  summary: 'Shows a hidden figure on the site again',
  message: msg('Figure shown'),
  params: idParams,
  body: reasonBody,
  data: writtenStatistic,
  refusals: ['not_found', 'wrong_state'],
})

export const orderStatistics = defineCall({
  id: 'statistic.order',
  method: 'POST',
  path: '/statistic/order',
  permission: 'manage',
  summary: 'Sets the order of the entered figures',
  message: msg('Order saved'),
  body: optionalReasonBody.extend({
    ids: z
      .array(id, { error: () => t('Ids must be a list') })
      .max(mostStatistics, { error: () => t('There are fewer figures than that') }),
  }),
  data: nothing,
  refusals: ['wrong_state'],
})

export const listStatisticVersions = defineCall({
  id: 'statistic.versions',
  method: 'GET',
  path: '/statistic/versions/:id',
  permission: 'manage',
  list: true,
  summary: 'The versions of a figure, newest first',
  message: msg('Versions'),
  params: idParams,
  query: listQuery.pick({ limit: true, cursor: true }),
  data: z.array(
    versionFacts.extend({
      change: z.enum(versionChanges),
      label: z.string(),
      value: z.string(),
      source: z.string(),
      evidence: z.string().nullable(),
      asOf: z.string(),
    }),
  ),
  refusals: ['not_found'],
})
