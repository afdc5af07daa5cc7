import { z } from 'zod'

/**
 * Forms of a node's answers (tronprotocol.github.io/documentation-en/api/http), as far as we read them. Nodes omit
 * empty, zero and false fields.
 */

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))
const hash = hex(32)

const header = z.object({
  raw_data: z.object({ number: z.int().default(0), parentHash: hash, timestamp: z.int() }),
})
const nothing = z.strictObject({}).transform(() => undefined)

/** wallet/getblock without its transactions; undefined if there is no such block. */
export const block = z.union([nothing, z.object({ blockID: hash, block_header: header })])
const account = z.string().regex(/^41[0-9a-f]{40}$/)
/** A payment in TRX, in sun (10^-6 TRX). */
const payment = z.object({ owner_address: account, to_address: account, amount: z.int().positive() })
export type Payment = z.output<typeof payment>

/** All contracts name the account that signs, but shielded transfers, which may have none. */
const signed = z.object({ owner_address: account })

const contractForm = z.object({ type: z.string(), parameter: z.object({ value: z.unknown() }).optional() })

/** A transaction by its id, who signed it, and what it pays in TRX if it does nothing else. */
const transaction = z
  .object({
    txID: hash,
    raw_data: z.object({
      contract: z.array(contractForm),
    }),
  })
  .transform(({ txID, raw_data: { contract } }) => {
    const pays = contract.find(({ type }) => type === 'TransferContract')
    return {
      txID,
      owner: signed.safeParse(contract[0]?.parameter?.value).data?.owner_address,
      payment: pays && payment.safeParse(pays.parameter?.value).data,
    }
  })

/** With its transactions. */
export const fullBlock = z.union([
  nothing,
  z.object({
    blockID: hash,
    block_header: header,
    transactions: z.array(transaction).default([]),
  }),
])
export type FullBlock = NonNullable<z.output<typeof fullBlock>>

/** A contract's event; its address without the byte 41. */
const event = z.object({
  address: hex(20),
  topics: z.array(hash).default([]),
  data: z
    .string()
    .regex(/^([0-9a-f]{2})*$/)
    .default(''),
})
export type Event = z.output<typeof event>

/** wallet/gettransactioninfobyblocknum: the result of each transaction of a block. */
export const infos = z.array(
  z.object({
    id: hash,
    blockNumber: z.int(),
    /** FAILED, or absent. */
    result: z.string().optional(),
    /** `result` of a contract's call. */
    receipt: z.object({ result: z.string().optional() }),
    log: z.array(event).default([]),
  }),
)
export type Info = z.output<typeof infos>[number]

/** wallet/broadcasthex: `code` is of `Return.response_code` in java-tron's api/api.proto, SUCCESS if it is absent. */
export const broadcast = z.object({
  result: z.boolean().default(false),
  code: z.string().default('SUCCESS'),
  message: z.string().default(''),
})

/** wallet/triggerconstantcontract: one word; undefined if there is no such contract. */
export const word = z
  .object({ constant_result: z.array(z.string()).optional() })
  .transform(({ constant_result: [answer = ''] = [] }) =>
    /^[0-9a-f]{64}$/.test(answer) ? BigInt(`0x${answer}`) : undefined,
  )

/** wallet/getaccount: its TRX in sun; {} for an address without an account. */
export const accountBalance = z.object({ balance: z.int().nonnegative().default(0) })

/** wallet/triggerconstantcontract: the energy of a call; none if it would fail. */
export const triedCall = z
  .object({
    energy_used: z.int().positive().optional(),
    transaction: z.object({ ret: z.array(z.object({ ret: z.string().optional() })) }).optional(),
  })
  .transform(({ energy_used, transaction }) => ({
    energy: transaction?.ret.some(({ ret }) => ret === 'FAILED') ? undefined : energy_used,
  }))

/** wallet/getchainparameters: sun for each unit of energy; absent if it is zero. */
export const energyPrice = z
  .object({ chainParameter: z.array(z.object({ key: z.string(), value: z.int().optional() })) })
  .transform(({ chainParameter }) => chainParameter.find(({ key }) => key === 'getEnergyFee')?.value ?? 0)
