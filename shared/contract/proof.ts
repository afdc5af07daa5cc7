import { z } from 'zod'
import { msg, t } from '#shared/i18n/t.ts'
import { defineCall, fileContent } from './define.ts'
import { timestamp, usd } from './fields.ts'

/** Most epochs of `proof.overview`. */
export const mostListedEpochs = 100
/** The newest epochs with a proof of reserves, which are listed beside these. */
export const mostListedProofs = 50

export const proofOverview = defineCall({
  id: 'proof.overview',
  method: 'GET',
  path: '/proof/overview',
  permission: 'public',
  summary: 'The public proof of the books: its epochs, the latest checkpoint, and what investors are owed',
  message: msg('Public proof'),
  data: z.object({
    /** Length of an epoch, in hours. */
    epochHours: z.int(),
    /** True if transactions are published as salted hashes from now on. */
    isClosed: z.boolean(),
    /** When the open epoch ends; null before the first transaction. */
    nextEndsAt: timestamp.nullable(),
    /** Null before the first epoch has ended. */
    log: z
      .object({
        /** The verifier key (C2SP signed-note), and the name in it. */
        vkey: z.string(),
        origin: z.string(),
        /** How often it replaced another one. */
        replacedKeys: z.int(),
        /** Epochs that have ended, and their transactions. */
        epochs: z.int(),
        transactions: z.int(),
        /** Leaves of the log, and the root over them in base64. */
        size: z.int(),
        root: z.string(),
        /** The newest checkpoint: a signed note. */
        checkpoint: z.string(),
        /** When it was signed, and when the first one was: earlier history is as the books then had it. */
        signedAt: timestamp,
        firstSignedAt: timestamp,
        /** Leaves of the latest tree of liabilities; 0 without one. */
        treeLeaves: z.int(),
        /** The first epoch with a closed leaf, and the UTC day that it ends; null without one. */
        closedSince: z.object({ epoch: z.int(), day: z.string() }).nullable(),
        /** The newest time stamp (RFC 3161), and the epoch that it dates with all before it. */
        stamp: z.object({ epoch: z.int(), authority: z.string(), time: timestamp }).nullable(),
        /** Who has cosigned a checkpoint, by the names of their keys, each with the newest. */
        cosigners: z.array(
          z.object({
            name: z.string(),
            kind: z.enum(['witness', 'auditor']),
            epoch: z.int(),
            time: timestamp,
          }),
        ),
      })
      .nullable(),
    /** Coins that keys of the firm have signed for, as last sealed, in amounts that it states; null if none. */
    proven: z
      .object({
        epoch: z.int(),
        /** The UTC day that the epoch ends. */
        day: z.string(),
        value: usd,
        /** Without contracts, whose signatures only a node can check. */
        addresses: z.int(),
        /** Coins of a test network are worth nothing. */
        isTest: z.boolean(),
      })
      .nullable(),
    /** Other assets, as last sealed; null if none were ever stated. */
    stated: z.object({ epoch: z.int(), day: z.string(), value: usd, documents: z.int() }).nullable(),
    listed: z
      .array(
        z.object({
          epoch: z.int(),
          /** The UTC day that it ends, YYYY-MM-DD. */
          day: z.string(),
          transactions: z.int().describe('All until then'),
          /** Available, held and invested dollars of all investors together. */
          owed: usd,
          proven: usd.nullable().describe('Dollars of the coins signed for that it sealed; null if none'),
        }),
      )
      .describe(
        `The first epoch and the latest one, and those between them at equal steps, ${mostListedEpochs} at most; and the newest ${mostListedProofs} that sealed a proof of reserves`,
      ),
  }),
})
export type ProofOverview = z.output<typeof proofOverview.data>

const included = { leaf: z.string(), index: z.string(), path: z.string() }

/** Transactions that one answer of `proof.own` has. */
export const mostOwnTransactions = 1_000

const leaves = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, { error: () => t('Must be a number of leaves') })
  .transform(Number)

/** What an investor needs to check the latest epoch without us: a saved proof (docs/proof-format.md). Integers as text. */
const savedProof = z.object({
  format: z.literal('probity-proof/v1'),
  vkey: z.string(),
  /** The signed statements by which the log's key was replaced; empty if it never was. */
  keys: z.string(),
  checkpoint: z.string(),
  owner: z.string(),
  email: z.string(),
  accountNumber: z.string(),
  /** By which only the investor finds their lines: base64 of 32 bytes. */
  secret: z.string(),
  epoch: z.object(included),
  transactions: z.array(
    z.object({
      ...included,
      /** Of a closed leaf, in base64; empty if it is open. */
      salt: z.string(),
      epoch: z.string(),
      legs: z.array(
        z.object({
          line: z.string(),
          kind: z.string(),
          version: z.string(),
          amount: z.string(),
          balance: z.string(),
        }),
      ),
    }),
  ),
  /** `from` of the next part, if there are more than 1,000 transactions. */
  next: z.string().nullable(),
  /** Signed receipts for the newest entries, which the checkpoint's log has not got yet. */
  receipts: z.array(z.string()),
  shares: z.array(
    z.object({
      index: z.string(),
      value: z.string(),
      path: z.array(z.object({ digest: z.string(), value: z.string() })),
    }),
  ),
  /** Hashes that prove that the log of `since` leaves is the beginning of this one. */
  consistency: z.array(z.string()),
})
export type OwnProof = z.output<typeof savedProof>

/** Whose each line of the public log is: for the auditor, who may read all postings. */
export const proofOpening = defineCall({
  id: 'proof.opening',
  method: 'GET',
  path: '/proof/opening',
  permission: 'log',
  file: 'text/plain',
  summary:
    "Opens every investor's line of the public log, and the newest tree of liabilities, for the auditor",
  message: msg('Opening'),
  data: fileContent,
})

export const ownProof = defineCall({
  id: 'proof.own',
  method: 'GET',
  path: '/proof/own',
  permission: 'account',
  summary:
    "The caller's lines in the public log and parts in its latest tree of liabilities, with all that proves them; null before the first epoch ends",
  message: msg('Proof'),
  query: z.object({
    /** The size of the log that the caller saw last. */
    since: leaves.default(0),
    /** The size of a log in which the caller has checked their transactions: only later ones come. */
    from: leaves.default(0),
    /** For another part: the size of the log in the first one's checkpoint. */
    size: leaves.optional(),
  }),
  data: savedProof.nullable(),
  refusals: ['wrong_state'],
})

export const ownReceipt = defineCall({
  id: 'proof.receipt',
  method: 'GET',
  path: '/proof/receipt/:id',
  permission: 'account',
  file: 'text/plain',
  summary:
    "Our signed promise that one of the caller's postings is in the public log by the end of the next day: a note (docs/proof-format.md)",
  message: msg('Receipt'),
  params: z.object({
    id: z.string().regex(/^[1-9]\d{0,17}$/, { error: () => t('Id must be that of a posting') }),
  }),
  data: fileContent,
  refusals: ['forbidden', 'wrong_state'],
})
