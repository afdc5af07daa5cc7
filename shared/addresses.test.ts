import { describe, expect, test } from 'vitest'
import { addressError } from '#shared/addresses.ts'
import { type WithdrawalWallet, withdrawalWallets } from '#shared/coins.ts'

type Examples = { main: string[]; test: string[]; wrong: string[] }

/** Published vectors: BIP-13, BIP-173, BIP-350, the CashAddr specification, EIP-55, XLS-5d, and the chains' documentation. */
const examples: Record<WithdrawalWallet, Examples> = {
  'Bitcoin (BTC)': {
    main: [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      '3P14159f73E4gFr7JterCCQh9QjiTjiZrG',
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      'BC1SW50QGDZ25J',
      'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    ],
    test: [
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
      '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc',
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
      'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp',
    ],
    wrong: [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
      'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
      'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf',
      'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
      'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4',
      'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R',
      'bc1pw5dgrnzv',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav',
      'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
      'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf',
      'bc1gmk9yu',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    ],
  },
  'Bitcoin Cash (BCH)': {
    main: [
      'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
      'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
      'BITCOINCASH:QR95SY3J9XWD2AP32XKYKTTR4CVCU7AS4Y0QVERFUY',
      'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
      'bitcoincash:zpm2qsznhks23z7629mms6s4cwef74vcwvrqekrq9w',
      '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
      '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC',
    ],
    test: [
      'bchtest:qpf29h80q4kzprl84jmwhf9du3jsu2tvw509nqz5cy',
      'bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t',
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
    ],
    wrong: [
      'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q',
      'bitcoincash:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A',
      // Of the specification's vectors: 24 bytes of type 0, and a prefix that is no network.
      'bitcoincash:q9adhakpwzztepkpwp5z0dq62m6u5v5xtyj7j3h2ws4mr9g0',
      'pref:pr6m7j9njldwwzlg9v7v53unlr4jkmx6ey65nvtks5',
      'bchtest:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    ],
  },
  'Ethereum Classic (ETC)': {
    main: ['0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'],
    test: [],
    wrong: ['0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5D359'],
  },
  'Ethereum (ETH)': {
    main: [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
      '0x52908400098527886E0F7030069857D2E4169EE7',
      '0xde709f2102306220921060314715629080e2fb77',
    ],
    test: [],
    wrong: [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
      '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAedd',
      '0X52908400098527886E0F7030069857D2E4169EE7',
    ],
  },
  'Litecoin (LTC)': {
    main: [
      'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9',
      'MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441',
      '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC',
      'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
    ],
    test: ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'],
    wrong: ['LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH8', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  },
  'USDT TRC-20': {
    main: ['TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7'],
    test: ['27bSCXuu9gKokvhitwouRnFzzDgqp27Fu5A'],
    wrong: [
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u',
      '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
      '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    ],
  },
  'USDT ERC-20': {
    main: ['0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb'],
    test: [],
    wrong: ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '0xdAC17F958D2ee523a2206206994597c13D831ec7'],
  },
  'Ripple Coin (XRP)': {
    main: [
      'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
      'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf',
      'XVLhHMPHU98es4dbozjVtdWzVrDjtV5fdx1mHp98tDMoQXb',
      'XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8yuPT7y4xaEHi',
    ],
    test: ['T7oKJ3q7s94kDH6tpkBowhetT1JKfcfdSCmAXbS75iATyLD'],
    wrong: ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTi', 'XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8yuPT7y4xaEHj'],
  },
  'Dogecoin (DOGE)': {
    main: ['DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', 'A8c3xNz2mqsDLFwv5KL5fpH12QEwDaoTXo'],
    test: ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    wrong: ['DH5yaieqoZN36fDVciNyRueRGvGLR3mr7M', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  },
}

describe.each(withdrawalWallets)('%s', wallet => {
  const error = `This is not a valid ${wallet} address`
  const { main, wrong } = examples[wallet]

  test.each(main)('[K-03, C-06] %s is taken in live and in demonstration mode', address => {
    expect(addressError(wallet, address, { testNetworks: false })).toBeUndefined()
    expect(addressError(wallet, address, { testNetworks: true })).toBeUndefined()
  })

  test.each([...wrong, '', ' ', 'not an address', '1'.repeat(121)])('[D-09, C-06] %s is refused', address => {
    expect(addressError(wallet, address, { testNetworks: true })).toBe(error)
  })

  test('[C-06] a single changed character is detected at every position', () => {
    const address = main[0] as string
    for (let place = 2; place < address.length; place += 1) {
      const other = address[place] === '2' ? '3' : '2'
      const changed = address.slice(0, place) + other + address.slice(place + 1)
      expect(addressError(wallet, changed, { testNetworks: true }), changed).toBe(error)
    }
  })
})

test('[C-06] test network addresses are valid in demonstration mode only', () => {
  for (const wallet of withdrawalWallets) {
    for (const address of examples[wallet].test) {
      expect(addressError(wallet, address, { testNetworks: true }), address).toBeUndefined()
      expect(addressError(wallet, address, { testNetworks: false }), address).toMatch(/is not a valid/)
    }
  }
})

test.each([
  ['USDT TRC-20', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  ['USDT TRC-20', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'],
  ['USDT ERC-20', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
  ['Ethereum (ETH)', '0xdac17f958d2ee523a2206206994597c13d831ec7'],
  ['Ethereum Classic (ETC)', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
] as const)('[C-06] %s cannot be paid to the token contract %s', (wallet, address) => {
  expect(addressError(wallet, address, { testNetworks: true })).toBe(
    'This is the address of a token contract: coins sent to it are lost. Enter an address of your own wallet',
  )
})

test.each([
  ['Bitcoin (BTC)', '1111111111111111111114oLvT2'],
  ['Bitcoin (BTC)', 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs'],
  ['Bitcoin Cash (BCH)', 'bitcoincash:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqfnhks603'],
  ['Bitcoin Cash (BCH)', 'BCHTEST:PQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ6YW74WNS'],
  ['USDT ERC-20', `0x${'0'.repeat(40)}`],
  ['USDT TRC-20', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
  ['Ripple Coin (XRP)', 'rrrrrrrrrrrrrrrrrrrrrhoLvTp'],
] as const)('[C-06] %s cannot be paid to %s, which no one owns', (wallet, address) => {
  expect(addressError(wallet, address, { testNetworks: true })).toBe(
    'This is an address without an owner: coins sent to it are lost. Enter an address of your own wallet',
  )
})
