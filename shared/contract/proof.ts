import { z } from 'zod'
import { defineCall } from './define.ts'
import { timestamp, usd } from './fields.ts'

/** Most epochs of `proof.overview`. */
export const mostListedEpochs = 100

export const proofOverview = defineCall({
  id: 'proof.overview',
  method: 'GET',
  path: '/proof/overview',
  permission: 'public',
  summary: 'The public proof of the books: its epochs, the latest checkpoint, and what investors are owed',
  message: 'Public proof',
  data: z.object({
    /** Length of an epoch, in hours. */
    epochHours: z.int(),
    /** When the open epoch ends; null before the first transaction. */
    nextEndsAt: timestamp.nullable(),
    /** Null before the first epoch has ended. */
    log: z
      .object({
        /** The verifier key (C2SP signed-note), and the name in it. */
        vkey: z.string(),
        origin: z.string(),
        /** Epochs that have ended, and their transactions. */
        epochs: z.int(),
        transactions: z.int(),
        /** Leaves of the log, and the root over them in base64. */
        size: z.int(),
        root: z.string(),
        /** The newest checkpoint: a signed note. */
        checkpoint: z.string(),
        /** When it was signed. */
        signedAt: timestamp,
        /** Leaves of the latest tree of liabilities; 0 without one. */
        treeLeaves: z.int(),
      })
      .nullable(),
    listed: z
      .array(
        z.object({
          epoch: z.int(),
          /** The UTC day that it ends, YYYY-MM-DD. */
          day: z.string(),
          transactions: z.int().describe('All until then'),
          /** Available, held and invested dollars of all investors together. */
          owed: usd,
        }),
      )
      .describe(
        `The first epoch and the latest one, and those between them at equal steps: ${mostListedEpochs} at most`,
      ),
  }),
})
export type ProofOverview = z.output<typeof proofOverview.data>
