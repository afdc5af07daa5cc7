import { byteOrderMark, csvLine, textCell } from '#server/platform/csv.ts'
import { dayAfter } from '#server/platform/zones.ts'
import type { FileType } from '#shared/contract/define.ts'
import type { JournalFormat } from '#shared/contract/journal.ts'
import { dayOf } from '#shared/moments.ts'
import { type Asset, assetDecimals, assets, formatDecimal } from '#shared/money.ts'
import type { JournalDays } from './queries.ts'

/** A transaction in words. */
export type Transaction = {
  id: string
  at: Date
  description: string
  number: string | null
  /** The record's id. */
  record: string
  txid: string | null
}

/** An amount on an account, in minor units: debits positive, as accounting programs have it. */
export type Posting = { account: string; asset: Asset; debit: bigint }

/** How a program writes the journal. Each function returns whole lines. */
export type Writer = {
  extension: string
  type: FileType
  /** @param asOf when the file was made */
  begin: (days: JournalDays, asOf: Date) => string
  openings: (days: JournalDays) => string
  opening: (balance: Posting, days: JournalDays) => string
  transaction: (transaction: Transaction) => string
  posting: (posting: Posting, transaction: Transaction) => string
  closings: (days: JournalDays) => string
  /** @param isSum of an account with all those below it */
  closing: (balance: Posting, days: JournalDays, isSum: boolean) => string
}

export const writers: Record<JournalFormat, Writer> = {
  hledger: {
    extension: 'journal',
    type: 'text/plain',
    begin: (days, asOf) =>
      `${about(days, asOf)}\ndecimal-mark .\n${assets.map(asset => `commodity ${decimal(asset, 1000n * unit(asset))} ${asset}\n`).join('')}`,
    openings: ({ firstDay }) => `\n${firstDay} * Opening balances\n`,
    opening: accountLine,
    transaction: ({ id, at, description, number, record, txid }) => {
      const code = number === null ? '' : ` (${number})`
      const paid = txid === null ? '' : `, txid:${oneLine(txid).replaceAll(',', ' ')}`
      // A semicolon begins a comment, and a bar ends the payee's name.
      const words = oneLine(description).replaceAll(';', ',').replaceAll('|', '/')
      return `\n${dayOf(at)} *${code} ${words}  ; id:${id}, time:${at.toISOString()}, record:${record}${paid}\n`
    },
    posting: accountLine,
    closings: ({ lastDay }) => `\n${lastDay} * Closing balances\n`,
    closing: ({ account, asset, debit }, _days, isSum) =>
      `    ${account}  0 ${asset} ${isSum ? '=*' : '='} ${decimal(asset, debit)} ${asset}\n`,
  },
  beancount: {
    extension: 'beancount',
    type: 'text/plain',
    begin: (days, asOf) => `${about(days, asOf)}
option "title" "Journal, ${days.firstDay} to ${days.lastDay}"
option "operating_currency" "USD"
option "inferred_tolerance_multiplier" "0"
plugin "beancount.plugins.auto_accounts"
`,
    openings: ({ firstDay }) => `\n${firstDay} * "Opening balances"\n`,
    opening: accountLine,
    transaction: ({ id, at, description, number, record, txid }) =>
      [
        `\n${dayOf(at)} * ${quoted(description)}`,
        ...(number === null ? [] : [`  number: ${quoted(number)}`]),
        `  id: "${id}"`,
        `  time: "${at.toISOString()}"`,
        `  record: "${record}"`,
        ...(txid === null ? [] : [`  txid: ${quoted(txid)}`]),
        '',
      ].join('\n'),
    posting: accountLine,
    closings: () => '\n',
    // At the beginning of its day, hence the day after. It adds the accounts below.
    closing: ({ account, asset, debit }, { lastDay }) =>
      `${dayAfter(lastDay)} balance ${account}  ${decimal(asset, debit)} ~ 0 ${asset}\n`,
  },
  csv: {
    extension: 'csv',
    type: 'text/csv',
    begin: () => byteOrderMark + csvLine(csvHeader),
    openings: () => '',
    opening: (balance, { firstDay }) => balanceCells('Opening balance', firstDay, balance),
    transaction: () => '',
    posting: (posting, { id, at, description, number, record, txid }) =>
      csvLine([
        'Posting',
        dayOf(at),
        at.toISOString(),
        id,
        textCell(description),
        textCell(number ?? ''),
        ...amountCells(posting),
        textCell(txid ?? ''),
        record,
      ]),
    closings: () => '',
    closing: (balance, { lastDay }, isSum) =>
      balanceCells(isSum ? 'Closing balance of all investors' : 'Closing balance', lastDay, balance),
  },
}

const csvHeader = [
  'Line',
  'Date',
  'Time',
  'Transaction',
  'Description',
  'Number',
  'Account',
  'Debit',
  'Credit',
  'Currency',
  'Network transaction',
  'Record',
]

function about({ firstDay, lastDay }: JournalDays, asOf: Date): string {
  return `; All transactions of the ledger from ${firstDay} to ${lastDay} (UTC days), as of ${asOf.toISOString()}.
; Debits are positive. Investors appear by their number only.
; Closing balances are the ledger's own: a program that accepts this file has added up every posting.
`
}

function accountLine({ account, asset, debit }: Posting): string {
  return `    ${account}  ${decimal(asset, debit)} ${asset}\n`
}

function balanceCells(line: string, day: string, balance: Posting): string {
  return csvLine([line, day, '', '', '', '', ...amountCells(balance), '', ''])
}

/** Account, debit, credit, currency. */
function amountCells({ account, asset, debit }: Posting): string[] {
  const isCredit = debit < 0n
  const amount = decimal(asset, isCredit ? -debit : debit)
  return [account, isCredit ? '' : amount, isCredit ? amount : '', asset]
}

function decimal(asset: Asset, amount: bigint): string {
  return formatDecimal(amount, assetDecimals[asset])
}

function unit(asset: Asset): bigint {
  return 10n ** BigInt(assetDecimals[asset])
}

/** Without line ends and other characters that nobody sees. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

function quoted(text: string): string {
  return `"${oneLine(text).replace(/[\\"]/g, '\\$&')}"`
}
