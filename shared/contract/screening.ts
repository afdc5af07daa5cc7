import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { staleListDays } from '#shared/limits.ts'
import { birthVerdicts, entryKinds, matchDecisions, matchStatuses, nameLists } from '#shared/sanctions.ts'
import { defineCall, fileContent } from './define.ts'
import { idParams, reason, recordId, timestamp } from './fields.ts'
import { matchFile, matchTable } from './tables.ts'

/** People whose names are like those on lists of sanctions (decision 178) or politically exposed persons (181), and the lists. */

const listed = z.object({
  list: z.enum(nameLists),
  publisher: z.string(),
  /** The publisher's number. */
  entry: z.string(),
  kind: z.enum(entryKinds),
})

const nameMatch = listed.extend({
  _id: recordId,
  user: recordId,
  /** The person's name as it was compared, which may have changed since. */
  userName: z.string(),
  /** The entry's name that is most like the person's. */
  listedName: z.string(),
  score: z.int().min(0).max(100).describe('How alike the names are, out of 100'),
  status: z
    .enum(matchStatuses)
    .describe(
      'open until someone decides; lapsed if the entry left the list before; different: somebody else; same: the listed person',
    ),
  inForce: z.boolean().describe('True while the entry is on its list'),
  foundAt: timestamp,
  decidedBy: z.string().nullable(),
  /** The id of that person. */
  decider: recordId.nullable(),
  decidedAt: timestamp.nullable(),
  reason: z.string().nullable(),
})
export type NameMatch = z.output<typeof nameMatch>

const nameMatchDetail = nameMatch.extend({
  person: z.object({
    _id: recordId,
    name: z.string(),
    email: z.string(),
    country: z.string(),
    frozen: z.boolean(),
    closed: z.boolean(),
  }),
  /** The entry as it is on its list, or as it last was. */
  details: z.object({
    /** The main one first. */
    names: z.array(z.string()),
    /** Names that the publisher calls weak. */
    weak: z.array(z.string()),
    /** Dates or years of birth, as the list writes them. */
    births: z.array(z.string()),
    countries: z.array(z.string()),
    programmes: z.array(z.string()),
  }),
  /** Other matches of the same person, the newest first. */
  others: z.array(nameMatch),
})

type NameMatchDetail = z.output<typeof nameMatchDetail>

export const listMatches = defineCall({
  id: 'screening.list',
  method: 'GET',
  path: '/screening/get-all',
  permission: 'console',
  list: true,
  summary:
    'People whose names are like those on lists, the newest first unless sorted. On a sanctions list, no withdrawal of theirs is approved while a match is open or the same person; on that of politically exposed persons (pep), a match stops no withdrawal',
  message: msg('Matches of names'),
  query: matchTable,
  data: z.array(nameMatch),
})

export const matchesCsv = defineCall({
  id: 'screening.csv',
  method: 'GET',
  path: '/screening/get-all.csv',
  permission: 'console',
  file: 'text/csv',
  summary:
    'Matches of names as CSV (RFC 4180, UTF-8 with a byte order mark), filtered and sorted like the list; all rows',
  message: msg('Matches of names as CSV'),
  query: matchFile,
  data: fileContent,
})

export const getMatch = defineCall({
  id: 'screening.getOne',
  method: 'GET',
  path: '/screening/get-one/:id',
  permission: 'console',
  summary: 'One match of names: the person, and what the list says about the entry',
  message: msg('Match of names'),
  params: idParams,
  data: nameMatchDetail,
  refusals: ['not_found'],
})

export const decideMatch = defineCall({
  id: 'screening.decide',
  method: 'POST',
  path: '/screening/decide/:id',
  permission: 'care',
  summary:
    'Decides whether a person is the one on the list; another person may correct it. The same: on a sanctions list, the account is frozen, and stays so while the entry is on the list; a politically exposed person (pep) proves identity and the source of funds before any new investment. Somebody else: this match stops nothing',
  message: msg('Decided'),
  messageFor: ({ status, list, person }: NameMatchDetail) => {
    if (status === 'same' && list === 'pep') return t('Decided: a politically exposed person')
    if (status !== 'same') return t('Decided: somebody else')
    return person.frozen ? t('Decided. The account is frozen') : t('Decided: the listed one')
  },
  params: idParams,
  body: z.object({
    decision: z.enum(matchDecisions, {
      error: () => t('Choose one of {choices}', { choices: matchDecisions.join(', ') }),
    }),
    /** For staff: the person does not see it. */
    reason,
    corrects: z
      .boolean()
      .optional()
      .describe('True to correct what another person has decided; else that is refused'),
  }),
  data: nameMatchDetail,
  refusals: ['forbidden', 'not_found', 'wrong_state', 'own_request'],
})

export const compareBirths = defineCall({
  id: 'screening.compareBirths',
  method: 'POST',
  path: '/screening/compare-births/:id',
  permission: 'identity',
  summary:
    'Compares the sealed date of birth of the person’s verified identity with what the list says. The date stays sealed, and the audit log keeps who compared',
  message: msg('Compared'),
  params: idParams,
  data: z.object({
    verdict: z
      .enum(birthVerdicts)
      .describe(
        'unclear: the list has none, or only roughly; unknown: no identity is verified, or it was deleted',
      ),
  }),
  refusals: ['forbidden', 'not_found', 'own_request'],
})

export const listSanctionsLists = defineCall({
  id: 'screening.lists',
  method: 'GET',
  path: '/screening/lists',
  permission: 'console',
  summary:
    'Each list that can be imported, with the file in force, and how many names still have to be compared with them',
  message: msg('Lists'),
  data: z.object({
    lists: z.array(
      z.object({
        list: z.enum(nameLists),
        publisher: z.string(),
        /** null: never imported, or no longer in use. */
        inForce: z
          .object({
            publishedOn: z.string(),
            entries: z.int(),
            wallets: z.int(),
            importedAt: timestamp,
          })
          .nullable(),
        /** True if a worker fetches it every day. */
        fetched: z.boolean(),
        checkedAt: timestamp
          .nullable()
          .describe('When its file was last read and is in force since, or was already'),
        failing: z
          .object({ since: timestamp, why: z.string(), refused: z.boolean() })
          .nullable()
          .describe('Its file cannot be read; refused: it was read, and does not replace the one in force'),
        stale: z.boolean().describe(`True if it was not checked for ${staleListDays} days`),
      }),
    ),
    /** Names that were not compared with the newest import yet; those of a great firm are counted up to a limit. */
    toCompare: z.object({ count: z.int(), isAtLeast: z.boolean() }),
  }),
})
