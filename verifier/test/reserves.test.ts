import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { p2tr, p2wpkh, TEST_NETWORK, Transaction } from '@scure/btc-signer'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { toSpend } from '#verifier/bitcoin-message.mjs'
import { hash256, serialise } from '#verifier/bitcoin-transaction.mjs'
import { nodeHashes } from '#verifier/node-hashes.mjs'
import { reportJson } from '#verifier/report.mjs'
import { type Books, type Files, firmsDays, newKey, publish, sha256, write } from './made-up-firm.ts'
import { visitOnce } from './run-audit.ts'

/** Every kind of lie about the coins that a firm proves, sealed by the firm itself, and what the verifier says of it. */

const key = newKey()
const accounts = [0, 1].map(() => privateKeyToAccount(generatePrivateKey()))
const block = `0x${'ab'.repeat(32)}`
const bitcoinKey = new Uint8Array(32).fill(7)
const bitcoin = p2wpkh(secp256k1.getPublicKey(bitcoinKey))
/** The same script as an address of the main network and of a test network. */
const [mainAddress, testAddress] = [
  bitcoin.address!,
  p2wpkh(secp256k1.getPublicKey(bitcoinKey), TEST_NETWORK).address!,
]
const HEAD =
  'coin,Network,Snapshot Height,address,amount,message,signature1,signature2,redeem script/ public key,eoa1,eoa2'
/** The epoch in which the coins are sealed. */
const SEALED = 4

type Line = {
  coin: string
  network: string
  height: string
  address: string
  amount: string
  message: string
  signature: string
  kind: string
}
type Lines = Line[]

/** The message of an epoch of these books. */
function messageOf(books: Books, epoch = SEALED - 1, origin = key.origin): string {
  const note = publish(books, key).get(`epochs/${epoch}/checkpoint`)!.toString()
  const [, size, root] = note.split('\n')
  return `Probity reserves v1 origin=${origin} epoch=${epoch} size=${size} root=${root} btc=800:${'cd'.repeat(32)} eth=9000:${block} tron=700:${'ef'.repeat(32)}`
}

async function linesOf(message: string): Promise<Lines> {
  const rows = accounts.map(async (account, at) => ({
    coin: 'ETH',
    network: 'ETH',
    height: '9000',
    address: account.address,
    amount: `${at + 1}.500000000`,
    message,
    signature: await account.signMessage({ message }),
    kind: '',
  }))
  return Promise.all(rows)
}

/** The line of a Bitcoin address whose key has signed (BIP-322, full). */
function bitcoinLine(message: string, address = mainAddress): Line {
  const spent = serialise(toSpend(nodeHashes, bitcoin.script, Buffer.from(message)))
  const transaction = new Transaction({ allowUnknownOutputs: true })
  const txid = Buffer.from(hash256(nodeHashes, spent)).reverse()
  const witnessUtxo = { script: bitcoin.script, amount: 0n }
  transaction.addInput({ txid, index: 0, sequence: 0, witnessUtxo })
  transaction.addOutput({ script: Uint8Array.of(0x6a), amount: 0n })
  transaction.sign(bitcoinKey)
  transaction.finalize()
  const signature = `ful${Buffer.from(transaction.extract()).toString('base64')}`
  const place = { coin: 'BTC', network: 'BTC', height: '800', address }
  return { ...place, amount: '2.00000000', message, signature, kind: '' }
}

const csv = (lines: Lines) =>
  `${[HEAD, ...lines.map(({ kind, signature, ...line }) => [...Object.values(line), signature, '', kind, '', ''].join(','))].join('\n')}\n`
const prices = (price = '2000.00000000') =>
  `coin,price USD,read at,sources\nETH,${price},2026-10-04T23:50:00.000Z,Kraken; Coinbase\nBTC,50000.00000000,2026-10-04T23:50:00.000Z,Kraken\n`

function seal(books: Books, files: Record<string, string>): Files {
  const draft = books.drafts[SEALED - 1]!
  const lines = Object.entries(files).map(([name, content]) => {
    draft.files.set(name, Buffer.from(content))
    return `; ${name.replace('.csv', '')}: sha256=${sha256(content).toString('hex')}\n`
  })
  draft.end = draft.end.replace(/(?=; (evidence|verifier): )/, lines.join(''))
  return publish(books, key)
}

async function visitWith(change: (lines: Lines, books: Books) => unknown, price?: string) {
  const books = write(firmsDays(6))
  const lines = await linesOf(messageOf(books))
  await change(lines, books)
  return visitOnce(seal(books, { 'reserves.csv': csv(lines), 'reserves-prices.csv': prices(price) }))
}

test('states what is proven, at the price that the firm states', async () => {
  const { failures, exitCode, report, audit } = await visitWith(() => {})
  expect(failures).toEqual([])
  expect(exitCode).toBe(0)
  expect(audit.assets.reserves.get(SEALED)).toMatchObject({ cents: 800_000n, addresses: 2, unchecked: [] })
  expect(report).toMatch(/Coins signed for, sealed in epoch 4 +\$8,000\.00/)
  expect(report).toContain('4.000000000 ETH on ETH: $8,000.00 at 2000.00000000 USD (Kraken; Coinbase')
  expect(report).toContain('It does not show that the coins are not borrowed')
})

test('says so if a firm has not proved that it holds any coins', async () => {
  const { report, exitCode } = await visitOnce(publish(write(firmsDays(3)), key))
  expect(report).toContain('The firm has not proved that it holds any coins')
  expect(exitCode).toBe(0)
})

test('counts the coins of a signed address of Bitcoin', async () => {
  const { failures, report } = await visitWith(lines => lines.push(bitcoinLine(lines[0]!.message)))
  expect(failures).toEqual([])
  expect(report).toMatch(/Coins signed for, sealed in epoch 4 +\$108,000\.00/)
  expect(report).not.toContain('signature not checked')
})

test('adds no coins of a contract to those signed for', async () => {
  const { failures, report, audit } = await visitWith(lines => {
    lines[1]!.kind = 'EIP-1271'
    lines[1]!.signature = '0x1234'
  })
  expect(failures).toEqual([])
  expect(report).toContain('1 of 2 addresses have signed')
  expect(report).toContain(`cannot check the signatures of ${accounts[1]!.address}`)
  expect(report).toMatch(/Coins signed for, sealed in epoch 4 +\$3,000\.00\n +1\.500000000 ETH/)
  expect(report).toMatch(/Stated, signature not checked +\$5,000\.00\n +2\.500000000 ETH/)
  expect(reportJson(audit).reserves.proven).toMatchObject({
    usd: '3000.00',
    coins: [{ amount: '1.500000000', usd: '3000.00' }],
    unchecked: [accounts[1]!.address],
    uncheckedUsd: '5000.00',
    uncheckedCoins: [{ coin: 'ETH', network: 'ETH', amount: '2.500000000', usd: '5000.00' }],
  })
})

test('adds no coins of a script that it does not understand to those signed for', async () => {
  const { failures, audit } = await visitWith(lines => {
    const address = p2tr(schnorr.getPublicKey(bitcoinKey)).address!
    // A witness of two elements: a script of Taproot.
    lines.push({ ...bitcoinLine(lines[0]!.message, address), signature: 'smpAgEBAQE=' })
  })
  expect(failures).toEqual([])
  expect(audit.assets.reserves.get(SEALED)).toMatchObject({ cents: 800_000n, uncheckedCents: 10_000_000n })
})

const resign = async (lines: Lines, message: string) => Object.assign(lines, await linesOf(message))

test.each<readonly [name: string, says: RegExp, change: (lines: Lines, books: Books) => unknown]>([
  [
    "another address's signature",
    /is a signature of another message or address/,
    lines => (lines[0]!.signature = lines[1]!.signature),
  ],
  [
    'a signature of another message',
    /is a signature of another message or address/,
    async lines => (lines[0]!.signature = await accounts[0]!.signMessage({ message: 'x' })),
  ],
  [
    'a constant message, which anybody can replay',
    /is bound to no log and no block: "I am an OKX address"/,
    lines => resign(lines, 'I am an OKX address'),
  ],
  [
    'a message of another log',
    /is for the log other.example/,
    (lines, books) => resign(lines, messageOf(books, 3, 'other.example')),
  ],
  [
    'a message of an epoch that has not ended',
    /is of epoch 5: it must be one of the 8 before/,
    (lines, books) => resign(lines, messageOf(books, 5)),
  ],
  [
    'a message of the epoch that seals it',
    /is of epoch 4/,
    (lines, books) => resign(lines, messageOf(books, 4)),
  ],
  [
    'a message with another root',
    /does not name the size and root of epoch 2/,
    (lines, books) => resign(lines, messageOf(books, 3).replace('epoch=3', 'epoch=2')),
  ],
  [
    'two messages',
    /has signed another message than the first/,
    async (lines, books) => (lines[1] = (await linesOf(messageOf(books, 2)))[1]!),
  ],
  ['an address twice', /is there twice for ETH/, lines => lines.push(lines[0]!)],
  [
    'an address twice, in other letters',
    /is there twice for ETH/,
    lines => lines.push({ ...lines[0]!, address: lines[0]!.address.toLowerCase() }),
  ],
  ...['BTC', 'TRX'].map(
    network =>
      [
        `a contract on ${network}`,
        /only on Ethereum can a contract sign/,
        (lines: Lines) => {
          const line = { ...bitcoinLine(lines[0]!.message), network, kind: 'EIP-1271' }
          lines.push(network === 'BTC' ? line : { ...line, coin: 'USDT', height: '700', amount: '2.000000' })
        },
      ] as const,
  ),
  ...['', 'sigAAAA', 'smp', 'smpAA=='].map(
    signature =>
      [
        `the Bitcoin signature "${signature}"`,
        /bc1\w+: /,
        (lines: Lines) => lines.push({ ...bitcoinLine(lines[0]!.message), signature }),
      ] as const,
  ),
  [
    'a Taproot address with an empty witness',
    /is not the one of its address/,
    lines => {
      const address = p2tr(schnorr.getPublicKey(bitcoinKey)).address!
      lines.push({ ...bitcoinLine(lines[0]!.message, address), signature: 'smpAA==' })
    },
  ],
  [
    'an address of Bitcoin twice, in other letters',
    /is there twice for BTC/,
    lines =>
      lines.push(bitcoinLine(lines[0]!.message), bitcoinLine(lines[0]!.message, mainAddress.toUpperCase())),
  ],
  [
    'a script of Bitcoin on the main network and on a test network',
    /is there twice for BTC/,
    lines =>
      lines.push(bitcoinLine(lines[0]!.message), {
        ...bitcoinLine(lines[0]!.message, testAddress),
        network: 'BTC test',
      }),
  ],
  [
    'an address of a test network of Bitcoin as one of the main network',
    /is an address of a test network, not of BTC/,
    lines => lines.push(bitcoinLine(lines[0]!.message, testAddress)),
  ],
  [
    'an address of the main network of Bitcoin as one of a test network',
    /is an address of the main network, not of BTC test/,
    lines => lines.push({ ...bitcoinLine(lines[0]!.message), network: 'BTC test' }),
  ],
  [
    'a contract whose address is in other letters than hexadecimal',
    /is not an Ethereum address/,
    lines => Object.assign(lines[1]!, { address: lines[1]!.address.replace('0x', '0X'), kind: 'EIP-1271' }),
  ],
  [
    'another height than the message',
    /its height 9001 is not the one in the message/,
    lines => (lines[0]!.height = '9001'),
  ],
  ['a coin that is not on the network', /no BTC is on ETH/, lines => (lines[0]!.coin = 'BTC')],
  ['an amount of nothing', /has nothing/, lines => (lines[0]!.amount = '0.000000000')],
  ['a negative amount', /"-1.000000000" is no amount/, lines => (lines[0]!.amount = '-1.000000000')],
  ['no address at all', /reserves.csv has no address/, lines => lines.splice(0)],
])('finds %s', async (_name, says, change) => {
  const { failures, exitCode } = await visitWith(change)
  expect(failures).toEqual([{ check: 'reserves', message: expect.stringMatching(says) }])
  expect(exitCode).toBe(1)
})

test('finds a changed price, a removed line and another file', async () => {
  const books = write(firmsDays(6))
  const files = seal(books, {
    'reserves.csv': csv(await linesOf(messageOf(books))),
    'reserves-prices.csv': prices(),
  })
  const changes: [string, (text: string) => string][] = [
    ['reserves-prices.csv', text => text.replace('2000.', '2001.')],
    ['reserves.csv', text => text.split('\n').toSpliced(1, 1).join('\n')],
    ['reserves.csv', text => text.replace('1.500000000', '9.500000000')],
    ['reserves.csv', () => 'another file'],
  ]
  for (const [name, change] of changes) {
    const path = `epochs/${SEALED}/${name}`
    const changed = new Map(files).set(path, Buffer.from(change(files.get(path)!.toString())))
    const { failures } = await visitOnce(changed)
    expect(failures).toEqual([
      { check: 'reserves', message: expect.stringContaining(`${name} has been changed`) },
    ])
  }
})

test('finds prices without a source, and reserves without prices', async () => {
  const books = write(firmsDays(6))
  const lines = csv(await linesOf(messageOf(books)))
  const without = seal(books, { 'reserves.csv': lines })
  expect((await visitOnce(without)).failures[0]!.message).toMatch(/reserves without prices/)
  const bare = write(firmsDays(6))
  const table = prices().replace('Kraken; Coinbase', '')
  const files = seal(bare, { 'reserves.csv': lines, 'reserves-prices.csv': table })
  expect((await visitOnce(files)).failures[0]!.message).toMatch(/does not say where the price of ETH is from/)
})

test.each([
  ['without a hash', 'Flat,1.00,2026-10-01,,Bank', /does not say when, by whom and by which document "Flat"/],
  ['of a negative amount', `Flat,-1.00,2026-10-01,${'a'.repeat(64)},Bank`, /"-1.00" is no amount/],
  [
    'that names a document twice',
    `Flat,1.00,2026-10-01,${'a'.repeat(64)},Bank\nHut,1.00,2026-10-01,${'a'.repeat(64)},Bank`,
    /names one document twice/,
  ],
])('finds a list of other assets %s', async (_name, text, says) => {
  const files = seal(write(firmsDays(6)), { 'assets.csv': `title,amount USD,as of,sha256,source\n${text}\n` })
  expect((await visitOnce(files)).failures).toEqual([
    { check: 'reserves', message: expect.stringMatching(says) },
  ])
})
