import { t } from '#shared/i18n/t.ts'
import { defineRefusals, type RefusalOf } from '#shared/refusals.ts'

/** What a transaction does: it pays an amount, or calls a contract with it. */
export type EthereumAct = { kind: 'pays' | 'calls'; amount: string; address: string }

/** Why a transaction is not planned, or a signed one not accepted. Amounts are text; `nonce` says which one it is. */
export const ethereumRefusals = defineRefusals({
  fee_above_limit: ({ fee, limit }: { fee: string; limit: string }) =>
    t('A transaction could cost a fee of {fee} ETH; the limit is {limit} ETH.', { fee, limit }),
  no_transaction: () =>
    t(
      'There is no signed transaction in this file. It holds one or more that begin with 0x, as a wallet exports them.',
    ),
  too_long: ({ most }: { most: number }) => t('This file has more than {most} transactions.', { most }),
  unreadable: ({ text }: { text: string }) => t('“{text}” is not a transaction of Ethereum.', { text }),
  not_signed: ({ nonce }: { nonce: number }) =>
    t('The transaction with nonce {nonce} is not signed.', { nonce }),
  other_kind: ({ nonce, kind }: { nonce: number; kind: string }) =>
    t('The transaction with nonce {nonce} is of type {kind}. Sign it as an EIP-1559 or legacy transaction.', {
      nonce,
      kind,
    }),
  other_chain: ({ nonce, chain, expected }: { nonce: number; chain: string; expected: number }) =>
    t('The transaction with nonce {nonce} is for {chain}; the batch is for chain {expected}.', {
      nonce,
      chain,
      expected,
    }),
  other_sender: ({ nonce, sender, expected }: { nonce: number; sender: string; expected: string }) =>
    t('The transaction with nonce {nonce} was signed by {sender}; the batch pays from {expected}.', {
      nonce,
      sender,
      expected,
    }),
  other_nonce: ({ nonce, expected }: { nonce: number; expected: string }) =>
    t('A transaction has nonce {nonce}; the batch has {expected}.', { nonce, expected }),
  other_payment: ({ nonce, does, expected }: { nonce: number; does: EthereumAct; expected: EthereumAct }) =>
    `${signedSentence(nonce, does)} ${plannedSentence(expected)}`,
  gas_too_low: ({ nonce, gas, least }: { nonce: number; gas: string; least: string }) =>
    t('The transaction with nonce {nonce} has {gas} gas; it needs {least} or more.', { nonce, gas, least }),
  signed_fee_above_limit: ({ nonce, fee, limit }: { nonce: number; fee: string; limit: string }) =>
    t(
      'The transaction with nonce {nonce} could cost a fee of {fee} ETH; the limit is {limit} ETH. Sign it again with a lower fee.',
      { nonce, fee, limit },
    ),
  nonce_twice: ({ nonce }: { nonce: number }) =>
    t('Two different transactions have nonce {nonce}. Keep the one that is to be sent.', { nonce }),
})
export type EthereumRefusal = RefusalOf<typeof ethereumRefusals>

function signedSentence(nonce: number, { kind, ...what }: EthereumAct): string {
  return kind === 'pays'
    ? t('The transaction with nonce {nonce} pays {amount} to {address}.', { nonce, ...what })
    : t('The transaction with nonce {nonce} calls {address} with {amount}.', { nonce, ...what })
}

function plannedSentence({ kind, ...what }: EthereumAct): string {
  return kind === 'pays'
    ? t('The batch pays {amount} to {address}.', what)
    : t('The batch calls {address} with {amount}.', what)
}
