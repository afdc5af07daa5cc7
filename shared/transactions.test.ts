import { describe, expect, test } from 'vitest'
import { type WithdrawalWallet, withdrawalWallets } from './coins.ts'
import { transactionIdError } from './transactions.ts'

/** Transactions that are known to everybody: the first payment of bitcoin, the first blocks, the tokens' contracts. */
const known: Record<WithdrawalWallet, string> = {
  'Bitcoin (BTC)': 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
  'Bitcoin Cash (BCH)': '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
  'Ethereum Classic (ETC)': '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  'Ethereum (ETH)': '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
  'Litecoin (LTC)': '97ddfbbae6be97fd6cdf3e7ca13232a3afff2353e29badfab7f73011edd4ced9',
  'USDT TRC-20': 'A1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F90',
  'USDT ERC-20': '0x2F1C5C2B44F771E942A8506148E256F94F1A464BABC938AE0690C6E34CD79190',
  'Ripple Coin (XRP)': 'E08D6E9754025BA2534A78707605E0601F03ACE063687A0CA1BDDACFCD1698C7',
  'Dogecoin (DOGE)': '5b2a3f53f605d62c53e62932dac6925e3d74afa5a4b459745c36d42d0ed26a69',
}

describe.each(withdrawalWallets)('%s', wallet => {
  const id = known[wallet]
  const others = [
    ['a digit short', id.slice(0, -1)],
    ['a digit long', `${id}0`],
    ['a letter beyond f', `${id.slice(0, -1)}g`],
    ['spaces around it', ` ${id} `],
    ['a link to it', `https://explorer.example/tx/${id}`],
    ['the other form', id.startsWith('0x') ? id.slice(2) : `0x${id}`],
    ['words', 'paid manually'],
    ['nothing', ''],
  ] as const

  test('[N-03] the id of a transaction passes, in either case', () => {
    for (const text of [id, id.toLowerCase()]) expect(transactionIdError(wallet, text)).toBeUndefined()
  })

  test.each(others)('[N-03] %s does not', (_what, text) => {
    expect(transactionIdError(wallet, text)).toMatch(
      `This is not a valid ${wallet} transaction id. It has 64 `,
    )
  })
})
