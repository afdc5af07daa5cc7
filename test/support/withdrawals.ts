import * as calls from '#shared/contract/withdrawals.ts'
import type { Person, World } from './world.ts'

export const bitcoinAddress = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

/** An address of each coin that withdrawals are paid in. */
export const addresses = {
  'Bitcoin (BTC)': bitcoinAddress,
  'Bitcoin Cash (BCH)': 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
  'Ethereum Classic (ETC)': '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  'Ethereum (ETH)': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'Litecoin (LTC)': 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
  'USDT TRC-20': 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  'USDT ERC-20': '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  'Ripple Coin (XRP)': 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  'Dogecoin (DOGE)': 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
} as const

/** A transaction of its own for each withdrawal. */
export const transactionOf = (id: string) => id.replaceAll('-', '').padStart(64, '0')

/**
 * What is done with withdrawals in a world; its first admin decides where nobody else is named.
 * @param opened the world, once it is open
 */
export function withdrawalsIn(opened: () => World) {
  const call: World['call'] = (...request) => opened().call(...request)
  return {
    ask: (who: Person, amount = 100, body: object = {}) =>
      call(calls.newWithdrawal, who, {
        body: { amount, wallet: 'Bitcoin (BTC)', walletAddress: bitcoinAddress, ...body },
      }),
    approve: (id: string, admin = opened().admin) => call(calls.approveWithdrawal, admin, { params: { id } }),
    decline: (id: string, admin = opened().admin) =>
      call(calls.declineWithdrawal, admin, { params: { id }, body: { reason: 'Address is on a list' } }),
    pay: (id: string, admin = opened().admin, transactionId = transactionOf(id)) =>
      call(calls.payWithdrawal, admin, { params: { id }, body: { transactionId } }),
  }
}
