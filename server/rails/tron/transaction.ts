import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { transferCall } from '#server/rails/ethereum/erc20.ts'
import { tronHash } from './addresses.ts'

/** A transaction is valid only on a chain with its reference block (TRON's protocol, "TAPOS"). */
export type ReferenceBlock = { height: number; hash: string }

/** A payment of TRX, in 10^-6 TRX (sun). */
export type TronPayment = {
  from: string
  to: string
  units: bigint
  reference: ReferenceBlock
  createdAt: Date
  /** No later block takes it. */
  expiresAt: Date
}

/** A payment of a token, in its minor units. */
export type TronTransfer = TronPayment & { contract: string }

/**
 * An unsigned transaction for wallets and `wallet/broadcasttransaction` (java-tron's Transaction as JSON). Signing does not change its
 * id, the hash of `raw_data_hex`, so the network refuses it a second time (DUP_TRANSACTION_ERROR).
 */
export type TronTransaction = {
  visible: false
  txID: string
  raw_data: {
    contract: [
      {
        parameter: {
          value:
            | { data: string; owner_address: string; contract_address: string }
            | { amount: number; owner_address: string; to_address: string }
          type_url: string
        }
        type: 'TriggerSmartContract' | 'TransferContract'
      },
    ]
    ref_block_bytes: string
    ref_block_hash: string
    /** Milliseconds of Unix time, as `timestamp`. */
    expiration: number
    fee_limit?: number
    timestamp: number
  }
  raw_data_hex: string
}

/** Fee limit in sun: several times what a USDT transfer burns without energy. */
const FEE_LIMIT = 100_000_000
/** In `Transaction.Contract.ContractType` of java-tron's core/Tron.proto. */
const types = { TransferContract: 1, TriggerSmartContract: 31 } as const

/** @throws RangeError for an invalid address or block hash, or an amount that is not positive */
export function tronTransfer(transfer: TronTransfer): TronTransaction {
  const { contract, from, to, units } = transfer
  const owner_address = wire(from)
  const contract_address = wire(contract)
  const recipient = `0x${bytesToHex(tronHash(to))}`
  const data = transferCall(recipient, units).slice('0x'.length)
  const message = concatBytes(
    field(1, hexToBytes(owner_address)),
    field(2, hexToBytes(contract_address)),
    field(4, hexToBytes(data)),
  )
  const value = { data, owner_address, contract_address }
  return transactionOf(transfer, { type: 'TriggerSmartContract', value, message, fee_limit: FEE_LIMIT })
}

/** A payment of TRX. @throws as `tronTransfer` */
export function tronPayment(payment: TronPayment): TronTransaction {
  const { from, to, units } = payment
  const owner_address = wire(from)
  const to_address = wire(to)
  const amount = Number(units)
  const message = concatBytes(
    field(1, hexToBytes(owner_address)),
    field(2, hexToBytes(to_address)),
    field(3, amount),
  )
  const value = { amount, owner_address, to_address }
  return transactionOf(payment, { type: 'TransferContract', value, message })
}

type Contract = {
  type: keyof typeof types
  value: TronTransaction['raw_data']['contract'][0]['parameter']['value']
  /** The value as Protocol Buffers. */
  message: Uint8Array
  fee_limit?: number
}

function transactionOf(
  { to, units, reference, createdAt, expiresAt }: TronPayment,
  { type, value, message, fee_limit }: Contract,
): TronTransaction {
  if (units <= 0n) throw new RangeError(`nothing is paid to ${to}`)
  if (!/^[0-9a-f]{64}$/.test(reference.hash)) throw new RangeError(`${reference.hash} is no block of TRON`)
  // The last two bytes of its height, and the second eight of its hash, whose first eight are its height.
  const ref_block_bytes = reference.height.toString(16).padStart(16, '0').slice(-4)
  const ref_block_hash = reference.hash.slice(16, 32)
  const expiration = expiresAt.getTime()
  const timestamp = createdAt.getTime()
  const type_url = `type.googleapis.com/protocol.${type}`
  const parameter = concatBytes(field(1, utf8ToBytes(type_url)), field(2, message))
  const raw = concatBytes(
    field(1, hexToBytes(ref_block_bytes)),
    field(4, hexToBytes(ref_block_hash)),
    field(8, expiration),
    field(11, concatBytes(field(1, types[type]), field(2, parameter))),
    field(14, timestamp),
    ...(fee_limit === undefined ? [] : [field(18, fee_limit)]),
  )
  return {
    visible: false,
    txID: bytesToHex(sha256(raw)),
    raw_data: {
      contract: [{ parameter: { value, type_url }, type }],
      ref_block_bytes,
      ref_block_hash,
      expiration,
      ...(fee_limit === undefined ? {} : { fee_limit }),
      timestamp,
    },
    raw_data_hex: bytesToHex(raw),
  }
}

/**
 * A signed transaction in the network's own form, for `Chain.broadcast` (`Transaction` of core/Tron.proto).
 * @param signatures hexadecimal, 65 bytes each
 */
export function rawTransaction(rawDataHex: string, signatures: readonly string[]): Uint8Array {
  const signed = signatures.map(signature => field(2, hexToBytes(signature)))
  return concatBytes(field(1, hexToBytes(rawDataHex)), ...signed)
}

/** An address in the protocol's form: 41 and 20 bytes. */
function wire(address: string): string {
  return `41${bytesToHex(tronHash(address))}`
}

/** A field of Protocol Buffers: a number as a varint, bytes with their length. */
function field(number: number, value: number | Uint8Array): Uint8Array {
  if (typeof value === 'number') return concatBytes(varint(number << 3), varint(value))
  return concatBytes(varint((number << 3) | 2), varint(value.length), value)
}

/** Seven bits a byte, the lowest first; milliseconds are beyond 32 bits. */
function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt(value)
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return Uint8Array.from(bytes)
}
