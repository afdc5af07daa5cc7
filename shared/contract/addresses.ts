import { z } from 'zod'
import { withdrawalWallets } from '#shared/coins.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { longestAddressLabel } from '#shared/limits.ts'
import { defineCall, listQuery } from './define.ts'
import { idParams, nothing, recordId, textLine, timestamp } from './fields.ts'

/** An investor's own address for withdrawals. */
export const payoutAddress = z.object({
  _id: recordId,
  wallet: z.enum(withdrawalWallets),
  address: z.string(),
  /** The owner's label for it. */
  label: z.string().nullable(),
  createdAt: timestamp,
  /** No withdrawal goes there before this time; null if it could be used at once. */
  usableFrom: timestamp.nullable(),
  firstUsedAt: timestamp.nullable(),
})
export type PayoutAddress = z.output<typeof payoutAddress>

const label = textLine(msg('Name'), longestAddressLabel).nullable()

export const newAddress = defineCall({
  id: 'address.new',
  method: 'POST',
  path: '/address/new',
  permission: 'account',
  verified: true,
  summary: 'Adds an address to the address book for withdrawals; needs a recent reauthentication',
  message: msg('Address added'),
  body: z.object({
    wallet: z.enum(withdrawalWallets, { error: () => t('Choose a wallet from the list') }),
    address: textLine(msg('Wallet address'), 120),
    label: label.optional(),
  }),
  data: payoutAddress,
  refusals: ['account_frozen', 'email_not_verified', 'proof_required', 'wrong_state'],
})

export const listOwnAddresses = defineCall({
  id: 'address.listOwn',
  method: 'GET',
  path: '/address/get-all-user',
  permission: 'account',
  list: true,
  summary: "The caller's address book for withdrawals, newest first",
  message: msg('Your addresses'),
  query: listQuery.omit({ status: true }),
  data: z.array(payoutAddress),
})

export const renameAddress = defineCall({
  id: 'address.rename',
  method: 'PUT',
  path: '/address/:id',
  permission: 'account',
  summary: "Renames an address of the caller's book, or removes its name",
  message: msg('Address renamed'),
  params: idParams,
  body: z.object({ label }),
  data: payoutAddress,
  refusals: ['forbidden'],
})

export const removeAddress = defineCall({
  id: 'address.remove',
  method: 'DELETE',
  path: '/address/:id',
  permission: 'account',
  summary: "Removes an address from the caller's book; if it is used again, it counts as new",
  message: msg('Address removed'),
  params: idParams,
  data: nothing,
  refusals: ['forbidden'],
})
