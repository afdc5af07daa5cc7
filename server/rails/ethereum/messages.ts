import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'

/** Why a transaction is not planned, or a signed one not accepted. Amounts are text; `nonce` says which one it is. */
export const ethereumRefusals = defineRefusals({
  fee_above_limit: ({ fee, limit }: { fee: string; limit: string }) =>
    `A transaction could cost a fee of ${fee} ETH; the limit is ${limit} ETH.`,
  no_transaction: () =>
    'There is no signed transaction in this file. It holds one or more that begin with 0x, as a wallet exports them.',
  too_long: ({ most }: { most: number }) => `This file has more than ${most} transactions.`,
  unreadable: ({ text }: { text: string }) => `“${text}” is not a transaction of Ethereum.`,
  not_signed: ({ nonce }: { nonce: number }) => `The transaction with nonce ${nonce} is not signed.`,
  other_kind: ({ nonce, kind }: { nonce: number; kind: string }) =>
    `The transaction with nonce ${nonce} is of type ${kind}. Sign it as an EIP-1559 or legacy transaction.`,
  other_chain: ({ nonce, chain, expected }: { nonce: number; chain: string; expected: number }) =>
    `The transaction with nonce ${nonce} is for ${chain}; the batch is for chain ${expected}.`,
  other_sender: ({ nonce, sender, expected }: { nonce: number; sender: string; expected: string }) =>
    `The transaction with nonce ${nonce} was signed by ${sender}; the batch pays from ${expected}.`,
  other_nonce: ({ nonce, expected }: { nonce: number; expected: string }) =>
    `A transaction has nonce ${nonce}; the batch has ${expected}.`,
  other_payment: ({ nonce, does, expected }: { nonce: number; does: string; expected: string }) =>
    `The transaction with nonce ${nonce} ${does}; the batch ${expected}.`,
  gas_too_low: ({ nonce, gas, least }: { nonce: number; gas: string; least: string }) =>
    `The transaction with nonce ${nonce} has ${gas} gas; it needs ${least} or more.`,
  signed_fee_above_limit: ({ nonce, fee, limit }: { nonce: number; fee: string; limit: string }) =>
    `The transaction with nonce ${nonce} could cost a fee of ${fee} ETH; the limit is ${limit} ETH. Sign it again with a lower fee.`,
  nonce_twice: ({ nonce }: { nonce: number }) =>
    `Two different transactions have nonce ${nonce}. Keep the one that is to be sent.`,
})
export type EthereumRefusal = RefusalOf<typeof ethereumRefusals>
