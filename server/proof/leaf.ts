import { type HmacKey, legTag } from './tags.ts'

/** A transaction of the books as the log takes it: its moment in milliseconds, its entries in the order of their lines. */
export type LoggedTransaction = { id: string; event: string; moment: number; entries: LoggedEntry[] }

/** Amounts in minor units, credits positive, as decimal texts. Version and balance are those of an investor's account. */
export type LoggedEntry = {
  account: string
  owner: string
  kind: string
  asset: string
  amount: string
  version: string | null
  balance: string | null
}

const investorAccounts: Record<string, string> = {
  available: 'Liabilities:Investors:Available',
  held: 'Liabilities:Investors:Held',
  invested: 'Liabilities:Investors:Invested',
}
const accounts: Record<string, string> = {
  ...investorAccounts,
  recorded_returns: 'Liabilities:Recorded-Returns',
  returns_received: 'Assets:Returns-Received',
  custody: 'Assets:Custody',
  receivable: 'Assets:Receivable',
  exchange: 'Equity:Exchange',
  payouts: 'Equity:Payouts',
  rounding: 'Equity:Rounding',
}
export const investorKinds = Object.keys(investorAccounts)

/** Digits after the decimal point, as in ledger.assets. */
const decimals: Record<string, number> = { USD: 2, BTC: 8, USDT: 6, ETH: 9, USDC: 6 }

/** The leaf of a transaction: plain-text accounting (docs/proof-format.md). @param keyOf an owner's key in this epoch */
export function transactionLeaf(
  { event, entries }: LoggedTransaction,
  day: string,
  keyOf: (owner: string) => HmacKey,
): string {
  let text = `${day} * "${event}"\n`
  for (const entry of entries) {
    text += `  ${accountOf(entry.kind)}  ${debitOf(entry.amount, entry.asset)}`
    text += isInvestors(entry) ? `  ; leg:${legTag(keyOf(entry.owner), entry).toString('base64')}\n` : '\n'
  }
  return `${text}\n`
}

export function isInvestors(entry: LoggedEntry): entry is LoggedEntry & { version: string; balance: string } {
  return Object.hasOwn(investorAccounts, entry.kind)
}

/** What an epoch's last leaf states (docs/proof-format.md). */
export type EpochFigures = {
  epoch: bigint
  /** The UTC day that it ends. */
  day: string
  transactions: number
  /** Balances over all leaves, by kind and asset, in minor units, credits positive. */
  totals: ReadonlyMap<string, bigint>
  tree: { leaves: number; sum: bigint; root: Buffer; sha256: Buffer } | undefined
  /** SHA-256 of its documents and of the verifier, each with the name of its line. */
  hashes: readonly (readonly [name: string, hash: Buffer])[]
  /** The verifier key of receipts. */
  receipts: string
}

/** The leaf that ends an epoch: comments, so that all leaves stay a journal. */
export function epochLeaf({
  epoch,
  day,
  transactions,
  totals,
  tree,
  hashes,
  receipts,
}: EpochFigures): string {
  const balances = [...totals].flatMap(([key, amount]) => {
    const [kind, asset] = key.split(' ') as [string, string]
    return amount === 0n ? [] : [`assert: ${accountOf(kind)} ${debitOf(amount.toString(), asset)}`]
  })
  const lines = [
    'probity-epoch/v1',
    `epoch: ${epoch}`,
    `date: ${day}`,
    `leaves: ${transactions}`,
    // By their account and asset: their bytes before the amount.
    ...balances.toSorted((a, b) => (balanceKey(a) < balanceKey(b) ? -1 : 1)),
    ...(tree === undefined
      ? []
      : [
          `pol: porl-1 investors-leaves=${tree.leaves} sum=${tree.sum} root=${tree.root.toString('hex')} sha256=${tree.sha256.toString('hex')}`,
        ]),
    ...hashes.map(([name, hash]) => `${name}: sha256=${hash.toString('hex')}`),
    `receipts: ${receipts}`,
  ]
  return `${lines.map(line => `; ${line}\n`).join('')}\n`
}

/** Account and commodity of an assertion. */
function balanceKey(line: string): string {
  const [, account, , asset] = line.split(' ')
  return `${account} ${asset}`
}

function accountOf(kind: string): string {
  const account = accounts[kind]
  if (account === undefined) throw new Error(`the public log has no account for ${kind}`)
  return account
}

/** A credit in minor units as a debit, with all decimals of its asset, and the asset: -153850 is 0.00153850 BTC. */
function debitOf(credit: string, asset: string): string {
  const places = decimals[asset]
  if (places === undefined) throw new Error(`the public log has no commodity ${asset}`)
  const isDebit = credit.startsWith('-')
  const digits = (isDebit ? credit.slice(1) : credit).padStart(places + 1, '0')
  return `${isDebit || credit === '0' ? '' : '-'}${digits.slice(0, -places)}.${digits.slice(-places)} ${asset}`
}
