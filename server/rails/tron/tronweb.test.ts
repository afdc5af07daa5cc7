import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import fc from 'fast-check'
import { TronWeb } from 'tronweb'
import { expect, test } from 'vitest'
import { readTransfer, readTron, signByTronWeb, tronWeb, typed } from '#test/support/tronweb.ts'
import { parseTronAccount, tronAddress, tronAddressAt, tronHash } from './addresses.ts'
import { readSigned } from './signed.ts'
import { type TronPayment, type TronTransaction, tronPayment, tronTransfer } from './transaction.ts'

/** TronWeb, TRON's own library, judges what we make and read. */

const contract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const FEE_LIMIT = 100_000_000

const addressOf = (privateKey: string) => tronWeb.address.fromPrivateKey(privateKey) as string
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const hexOf = (length: number) => bytes(length).map(array => Buffer.from(array).toString('hex'))
/** Neither zero nor beyond the order of the curve. */
const privateKeys = hexOf(31).map(hex => `01${hex}`)
const times = fc.date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
const payments = fc
  .record({
    key: privateKeys,
    to: bytes(20).map(tronAddress),
    units: fc.bigInt({ min: 1n, max: BigInt(Number.MAX_SAFE_INTEGER) }),
    height: fc.nat({ max: 2 ** 31 - 1 }),
    hash: hexOf(32),
    createdAt: times,
    lifetimeMs: fc.integer({ min: 1, max: 86_400_000 }),
  })
  .map(({ key, to, units, height, hash, createdAt, lifetimeMs }) => {
    const from = addressOf(key)
    const expiresAt = new Date(createdAt.getTime() + lifetimeMs)
    return { key, payment: { from, to, units, reference: { height, hash }, createdAt, expiresAt } }
  })

/** The reference block as TRON's documentation derives it from a block's id. */
function headerOf({ reference: { height, hash }, createdAt, expiresAt }: TronPayment) {
  const bytesOfHeight = Buffer.alloc(4)
  bytesOfHeight.writeUInt32BE(height)
  return {
    ref_block_bytes: bytesOfHeight.toString('hex').slice(4),
    ref_block_hash: hash.slice(16, 32),
    expiration: expiresAt.getTime(),
    timestamp: createdAt.getTime(),
  }
}

/** A transfer of a token as TronWeb makes it, without a node. */
async function transferOfTronWeb({ from, to, units, ...of }: TronPayment) {
  const { transaction } = await tronWeb.transactionBuilder.triggerSmartContract(
    contract,
    'transfer(address,uint256)',
    { feeLimit: FEE_LIMIT, txLocal: true, blockHeader: headerOf({ from, to, units, ...of }) },
    [
      { type: 'address', value: to },
      { type: 'uint256', value: `${units}` },
    ],
    from,
  )
  return transaction
}

/** Both kinds of our transactions, each signed with the key of its sender by TronWeb. */
const signedByTronWeb = ({ key, payment }: { key: string; payment: TronPayment }) =>
  Promise.all(
    [tronTransfer({ ...payment, contract }), tronPayment(payment)].map(transaction =>
      signByTronWeb(transaction, key),
    ),
  )

const planOf = ({ raw_data_hex }: Pick<TronTransaction, 'raw_data_hex'>, sender: string) => ({
  raw: Buffer.from(raw_data_hex, 'hex'),
  sender,
})

test('[S-04] TronWeb makes the same transfer of USDT, to the byte and the id', async () => {
  await fc.assert(
    fc.asyncProperty(payments, async ({ payment }) => {
      expect(tronTransfer({ ...payment, contract })).toEqual(await transferOfTronWeb(payment))
    }),
  )
})

test('[S-04] TronWeb makes the same payment of TRX, to the byte and the id', async () => {
  await fc.assert(
    fc.asyncProperty(payments, async ({ payment }) => {
      const { from, to, units } = payment
      const options = { blockHeader: headerOf(payment) }
      expect(tronPayment(payment)).toEqual(
        await tronWeb.transactionBuilder.sendTrx(to, Number(units), from, options),
      )
    }),
  )
})

test('[S-04] TronWeb reads the recipient and the amount from the calldata', () => {
  fc.assert(
    fc.property(payments, ({ payment }) => {
      const { value } = tronTransfer({ ...payment, contract }).raw_data.contract[0].parameter
      const { to, units } = payment
      expect('data' in value && readTransfer(value.data)).toEqual({ to, units })
    }),
  )
})

test('[S-04] what TronWeb signs is accepted, and broadcast in the bytes of TronWeb', async () => {
  await fc.assert(
    fc.asyncProperty(payments, async of => {
      for (const signed of await signedByTronWeb(of)) {
        const { from } = of.payment
        const [accepted] = await readSigned([planOf(signed, from)], JSON.stringify(signed))
        expect(accepted).toMatchObject({ plan: 0, transactionId: signed.txID })
        const read = readTron(Buffer.from(accepted!.raw).toString('hex'))
        const signature = signed.signature.map(one => one.toLowerCase())
        expect(read).toMatchObject({ ...signed, signature })
        expect(tronWeb.trx.ecRecover(typed(read))).toBe(from)
      }
    }),
    { numRuns: 30 },
  )
})

const key = '17'.repeat(32)
const otherKey = '18'.repeat(32)
/** Long from now: TronWeb extends no expiry that is over. */
const planned = tronTransfer({
  contract,
  from: addressOf(key),
  to: 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCX',
  units: 100_500_001n,
  reference: { height: 66_987_565, hash: '0000000003fe262d2c5c36c5fea2de8a1731d6450e11a03fe091eedd1896b31d' },
  createdAt: new Date('2100-01-01T00:00:00Z'),
  expiresAt: new Date('2100-01-01T20:00:00Z'),
})
const refusalOf = (signed: object) =>
  readSigned([planOf(planned, addressOf(key))], JSON.stringify(signed)).catch(refusal => refusal)

test('[S-04] a later expiry than the file has, given by TronWeb, is refused', async () => {
  const longer = await tronWeb.transactionBuilder.extendExpiration(typed(planned), 3600, { txLocal: true })
  expect(longer.raw_data.expiration).toBe(planned.raw_data.expiration + 3_600_000)
  expect(await refusalOf(await tronWeb.trx.sign(longer, key))).toMatchObject({
    reason: 'unknown_transaction',
  })
})

test("[S-04] TronWeb's signature with the key of another address is refused", async () => {
  await expect(signByTronWeb(planned, otherKey)).rejects.toThrow('Private key does not match')
  const signed = tronWeb.utils.crypto.signTransaction(otherKey, structuredClone(planned))
  expect(await refusalOf(signed)).toMatchObject({
    reason: 'other_signer',
    message: expect.stringContaining(addressOf(otherKey)),
  })
})

test('[K-02] TronWeb derives the addresses of an account that we derive', () => {
  const mnemonic = 'patch left empty genuine rain normal syrup yellow consider moon stock denial'
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic))
  const account = parseTronAccount(root.derive("m/44'/195'/0'").publicExtendedKey)
  for (const index of [0, 1, 2, 19, 1000]) {
    const { address } = TronWeb.fromMnemonic(mnemonic, `m/44'/195'/0'/0/${index}`)
    expect(tronAddressAt(account, index)).toBe(address)
  }
})

test('TronWeb and we take the same texts for addresses', () => {
  const takes = (text: string) => {
    try {
      return tronHash(text).length === 20
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(bytes(20), fc.nat({ max: 33 }), fc.constantFrom(...'123ABCXYZabcxyz'), (hash, at, letter) => {
      const address = tronAddress(hash)
      expect(address).toBe(tronWeb.address.fromHex(`41${Buffer.from(hash).toString('hex')}`))
      const mistyped = address.slice(0, at) + letter + address.slice(at + 1)
      for (const text of [address, mistyped]) expect(takes(text), text).toBe(TronWeb.isAddress(text))
    }),
  )
})
