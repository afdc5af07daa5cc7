import { tronAddress } from '#server/rails/tron/addresses.ts'
import { screenPeople } from '#server/screening/screen.ts'
import * as calls from '#shared/contract/withdrawals.ts'
import type { Person, World } from './world.ts'

export const bitcoinAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

/** An address for each withdrawal coin. */
export const addresses = {
  'Bitcoin (BTC)': bitcoinAddress,
  'Bitcoin Cash (BCH)': 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
  'Ethereum Classic (ETC)': '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  'Ethereum (ETH)': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'Litecoin (LTC)': 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
  'USDT TRC-20': 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
  'USDT ERC-20': '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  'Ripple Coin (XRP)': 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  'Dogecoin (DOGE)': 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
} as const

let destinations = 0
/** An address of Ethereum or TRON that is new in this test file. */
export function freshAddress(wallet = 'USDT ERC-20'): string {
  destinations += 1
  const hash = Buffer.alloc(20)
  hash.writeUInt32BE(destinations, 16)
  return wallet === 'USDT TRC-20' ? tronAddress(hash) : `0x${hash.toString('hex')}`
}

/** A new transaction for each withdrawal. */
export const transactionOf = (id: string) => id.replaceAll('-', '').padStart(64, '0')

/** The refusal to decline an approved withdrawal without an attestation that nobody paid it manually. */
export const mayBePaid = { status: 409, code: 'wrong_state', reason: 'may_be_paid' }

/**
 * Helpers for withdrawals in a world; its first admin decides by default, and its second one marks as paid.
 * @param opened the world, once it is open
 */
export function withdrawalsIn(opened: () => World) {
  const call: World['call'] = (...request) => opened().call(...request)
  const ask = (who: Person, amount = 100, body: object = {}) =>
    call(calls.newWithdrawal, who, {
      body: { amount, wallet: 'Bitcoin (BTC)', walletAddress: bitcoinAddress, ...body },
    })
  const approve = (id: string, admin = opened().admin) =>
    call(calls.approveWithdrawal, admin, { params: { id } })
  const declined = (id: string, said: { notPaid?: boolean } = {}) => ({
    params: { id },
    body: { reason: 'Address is on a list', ...said },
  })
  return {
    ask,
    /** @returns the ids of so many requests */
    askMany: async (who: Person, count: number, amount = 10) => {
      const ids: string[] = []
      for (let n = 0; n < count; n++) ids.push((await ask(who, amount)).data._id)
      return ids
    },
    approve,
    /** A requested and approved withdrawal, by default of USDT on Ethereum, to a new address. */
    approved: async (
      who: Person,
      amount = 100,
      { wallet = 'USDT ERC-20', walletAddress = freshAddress(wallet) } = {},
    ) => {
      const { data } = await ask(who, amount, { wallet, walletAddress })
      await screenPeople(opened().services)
      return (await approve(data._id)).data
    },
    decline: (id: string, admin = opened().admin) => call(calls.declineWithdrawal, admin, declined(id)),
    /** An approved one, with the attestation that nobody has paid it manually. */
    declineUnpaid: (id: string) =>
      call(calls.declineWithdrawal, opened().admin, declined(id, { notPaid: true })),
    pay: (id: string, admin = opened().secondAdmin, transactionId = transactionOf(id)) =>
      call(calls.payWithdrawal, admin, { params: { id }, body: { transactionId } }),
  }
}
