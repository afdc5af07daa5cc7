/** What an epoch's last leaf states (docs/proof-format.md). */
export type EpochFigures = {
  epoch: bigint
  /** The UTC day that it ends. */
  day: string
  transactions: number
  /** The lines of the balances over all leaves, as the database renders them. */
  balances: readonly string[]
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
  balances,
  tree,
  hashes,
  receipts,
}: EpochFigures): string {
  const lines = [
    'probity-epoch/v1',
    `epoch: ${epoch}`,
    `date: ${day}`,
    `leaves: ${transactions}`,
    ...balances,
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
