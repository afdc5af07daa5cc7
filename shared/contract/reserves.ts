import { z } from 'zod'
import { railNames } from '#shared/coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { addressLength, mostReserveAddresses } from '#shared/limits.ts'
import { defineCall } from './define.ts'
import {
  idParams,
  nothing,
  optionalReasonBody,
  reason,
  recordId,
  textLine,
  timestamp,
  usd,
  usdAmount,
} from './fields.ts'

/** What the firm shows to have: coins that it can sign for, and other assets by document (decision 127). */

const rail = z.enum(railNames)
const address = z
  .string()
  .trim()
  .min(addressLength.least, { error: () => t('Enter an address') })
  .max(addressLength.most, { error: () => t('Enter an address') })

const provenAddress = z.object({
  rail,
  address: z.string(),
  /** What it held in the block of the message. */
  holdings: z.array(z.object({ coin: z.string(), amount: z.string() })),
  /** A contract, which alone can check its signature (EIP-1271). */
  isContract: z.boolean(),
  isSigned: z.boolean(),
})

const reserveProof = z.object({
  _id: recordId,
  /** `reading`: a worker reads the balances. `failed`: it could not. `sealed`: published in an epoch. */
  status: z.enum(['reading', 'failed', 'open', 'expired', 'published', 'sealed']),
  askedAt: timestamp,
  /** The epoch that the message names; null until it is there. */
  epoch: z.int().nullable(),
  message: z.string().nullable(),
  failure: z.string().nullable(),
  /** The unsigned proof of funds for Bitcoin's coins (BIP-322): a PSBT in base64. */
  psbt: z.string().nullable(),
  addresses: z.array(provenAddress),
  /** Its dollars once published. */
  value: usd.nullable(),
  sealedEpoch: z.int().nullable(),
})
export type ReserveProof = z.output<typeof reserveProof>

const reserveDocument = z.object({
  _id: recordId,
  title: z.string(),
  amount: usd,
  asOf: z.string(),
  sha256: z.string(),
  source: z.string(),
  status: z.enum(['stated', 'confirmed', 'withdrawn']),
  statedBy: recordId,
  statedByName: z.string(),
})
export type ReserveDocument = z.output<typeof reserveDocument>

export const listReserves = defineCall({
  id: 'reserve.list',
  method: 'GET',
  path: '/reserve/get-all',
  permission: 'manage',
  summary: 'Proofs of reserves, newest first, and other assets that are stated by document',
  message: msg('Reserves'),
  data: z.object({
    /** Addresses of the firm whose coins it may prove. */
    known: z.array(z.object({ rail, address: z.string(), about: z.string() })),
    proofs: z.array(reserveProof),
    documents: z.array(reserveDocument),
  }),
})
export type ReserveList = z.output<typeof listReserves.data>

export const prepareReserves = defineCall({
  id: 'reserve.prepare',
  method: 'POST',
  path: '/reserve/prepare',
  permission: 'manage',
  money: true,
  summary:
    'Asks a worker to read what these addresses hold, and to write the message that their keys sign: it names the newest epoch and a block of each network',
  message: msg('Reading the balances'),
  body: z.object({
    addresses: z
      .array(z.object({ rail, address }))
      .min(1, { error: () => t('Choose an address') })
      .max(mostReserveAddresses, {
        error: () => t('At most {maximum} addresses', { maximum: mostReserveAddresses }),
      }),
    reason: reason.optional(),
  }),
  data: z.object({ id: recordId }),
  refusals: ['wrong_state'],
})

export const signReserves = defineCall({
  id: 'reserve.sign',
  method: 'POST',
  path: '/reserve/sign/:id',
  permission: 'manage',
  money: true,
  summary:
    'Adds the signature of an address, after checking it: BIP-322, EIP-191, EIP-1271 or TIP-191. A proof of funds counts for each address whose coins it shows',
  message: msg('Signature valid'),
  params: idParams,
  body: z.object({
    address,
    /** Base64 or hexadecimal, as the wallet gives it. */
    signature: z
      .string()
      .trim()
      .min(1, { error: () => t('Enter the signature') })
      .max(60_000, { error: () => t('This is too long for a signature') }),
    reason: reason.optional(),
  }),
  data: z.object({ signed: z.array(z.string()) }),
  refusals: ['not_found', 'wrong_state'],
})

export const publishReserves = defineCall({
  id: 'reserve.publish',
  method: 'POST',
  path: '/reserve/publish/:id',
  permission: 'manage',
  money: true,
  summary: 'Publishes the signed addresses of a proof for good: the end of the open epoch seals them',
  message: msg('The next epoch publishes these coins'),
  params: idParams,
  body: optionalReasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})

export const stateAsset = defineCall({
  id: 'reserve.stateAsset',
  method: 'POST',
  path: '/reserve/state-asset',
  permission: 'manage',
  money: true,
  summary:
    'States an asset that is on no network, with the SHA-256 of its document. A second person must confirm it',
  message: msg('Stated. A second person must confirm it'),
  body: z.object({
    title: textLine(msg('Title'), 200),
    amount: usdAmount,
    asOf: z.iso.date({ error: () => t('Enter the date as YYYY-MM-DD') }),
    sha256: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[0-9a-f]{64}$/, { error: () => t('Enter the SHA-256 as 64 hexadecimal digits') }),
    source: textLine(msg('Source'), 200),
    reason: reason.optional(),
  }),
  data: z.object({ id: recordId }),
  refusals: ['wrong_state'],
})

export const confirmAsset = defineCall({
  id: 'reserve.confirmAsset',
  method: 'POST',
  path: '/reserve/confirm-asset/:id',
  permission: 'manage',
  money: true,
  summary: "Confirms an asset that another person has stated. The next epoch's end publishes it",
  message: msg('Confirmed. The next epoch publishes it'),
  params: idParams,
  body: optionalReasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state', 'same_approver'],
})

export const withdrawAsset = defineCall({
  id: 'reserve.withdrawAsset',
  method: 'POST',
  path: '/reserve/withdraw-asset/:id',
  permission: 'manage',
  money: true,
  summary: 'Takes an asset off the list. What earlier epochs have published stays',
  message: msg('Taken off the list'),
  params: idParams,
  body: optionalReasonBody,
  data: nothing,
  refusals: ['not_found', 'wrong_state'],
})
