import { recoverAddress } from 'viem'
import { expect, test } from 'vitest'
import recorded from '#test/support/tronweb.json' with { type: 'json' }
import { tronAddress } from './addresses.ts'
import { rawTransaction, tronPayment, tronTransfer } from './transaction.ts'

/**
 * What TronWeb 6.5.1 makes of a transfer, recorded offline: from `raw_data` alone its own bytes and id (txJsonToPb), a signature
 * (trx.sign with the key 17…17), and the signed transaction as it is broadcast (its protobuf). Nothing of it comes from this code.
 */
const { signed, broadcastHex } = recorded
const { owner_address } = signed.raw_data.contract[0]!.parameter.value
const from = tronAddress(Buffer.from(owner_address.slice(2), 'hex'))

test('[S-04] a transfer has the bytes and the id that TronWeb makes of it', () => {
  const made = tronTransfer({
    contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    from,
    to: 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCX',
    units: 100_500_001n,
    reference: {
      height: 66_987_565,
      hash: '0000000003fe262d2c5c36c5fea2de8a1731d6450e11a03fe091eedd1896b31d',
    },
    createdAt: new Date('2026-11-21T10:00:00Z'),
    expiresAt: new Date('2026-11-22T06:00:00Z'),
  })
  const { signature: _, ...unsigned } = signed
  expect(made).toEqual(unsigned)
})

test('[S-04] a payment of TRX has the bytes and the id that TronWeb makes of it', () => {
  const { txID, raw_data_hex } = tronPayment({
    from,
    to: 'TPiD26cc1vptLxwYmw4waHTPCNgqtZ5SCX',
    units: 7_814_200n,
    reference: {
      height: 66_987_565,
      hash: '0000000003fe262d2c5c36c5fea2de8a1731d6450e11a03fe091eedd1896b31d',
    },
    createdAt: new Date('2026-11-21T10:00:00Z'),
    expiresAt: new Date('2026-11-22T06:00:00Z'),
  })
  expect({ txID, raw_data_hex }).toEqual(recorded.payment)
})

test('[S-04] what TronWeb signs is broadcast in the bytes that TronWeb sends', async () => {
  const [signature] = signed.signature as [string]
  const signer = await recoverAddress({ hash: `0x${signed.txID}`, signature: `0x${signature}` })
  expect(tronAddress(Buffer.from(signer.slice(2), 'hex'))).toBe(from)
  expect(Buffer.from(rawTransaction(signed.raw_data_hex, [signature])).toString('hex')).toBe(broadcastHex)
})
