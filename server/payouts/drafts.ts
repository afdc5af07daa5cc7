import { payoutRails } from '#shared/batch-coins.ts'
import type { RailName } from '#shared/coins.ts'
import { bitcoinDrafts } from './bitcoin.ts'
import type { Drafts } from './draft.ts'
import { ethereumDrafts } from './ethereum.ts'
import { tronDrafts } from './tron.ts'

const networks: Record<RailName, Drafts> = {
  bitcoin: bitcoinDrafts,
  ethereum: ethereumDrafts,
  usdt: tronDrafts,
}

export const fund: Drafts['fund'] = (db, config, wallet, batch) =>
  networks[payoutRails[wallet].rail].fund(db, config, wallet, batch)

export const higherFee: Drafts['higherFee'] = (db, config, next) =>
  networks[next.batch.rail].higherFee(db, config, next)

export const cancellation: Drafts['cancellation'] = (db, config, next) =>
  networks[next.batch.rail].cancellation(db, config, next)

export const readSigned: Drafts['readSigned'] = (config, batch, drafts, text) =>
  networks[batch.rail].readSigned(config, batch, drafts, text)
