import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { expect } from 'vitest'
import { noteTransfers } from '#server/chain/seen.ts'
import type { Config } from '#server/config.ts'
import { loadConfig } from '#server/config.ts'
import { checkBooks } from '#server/ledger/invariants.ts'
import { syncNetwork } from '#server/process/sync-network.ts'
import { type DepositMethod, paymentMethods, type RailName } from '#shared/coins.ts'
import * as call from '#shared/contract/deposits.ts'
import { newInvestment } from '#shared/contract/investments.ts'
import { type ScriptedChain, scriptedChain } from './scripted-chain.ts'
import { tamper } from './tampering.ts'
import { openWorld, type Person, type World } from './world.ts'

/** The mnemonic of public test vectors: nobody has anything at its keys. */
const seed = mnemonicToSeedSync('test test test test test test test test test test test junk')
const root = HDKey.fromMasterSeed(seed)
/** The same with test networks' versions, which write its keys tprv… and tpub…. */
export const testRoot = HDKey.fromMasterSeed(seed, { private: 0x04_35_83_94, public: 0x04_35_87_cf })
/** Extended public keys of its accounts. */
export const xpubs = {
  bitcoin: root.derive("m/84'/1'/0'").publicExtendedKey,
  usdt: root.derive("m/44'/195'/0'").publicExtendedKey,
  ethereum: root.derive("m/44'/60'/0'").publicExtendedKey,
} as const

/** As test networks' wallets write it. */
export const tpub = testRoot.derive("m/84'/1'/0'").publicExtendedKey

/** Settings of rails with an address for each deposit; keys of BIP-84's test networks are written tpub…. */
export function derivedRails(changes: Partial<Record<RailName, string | null>> = {}): Config['rails'] {
  const { rails } = loadConfig({ TOKEN_SECRET: 'x'.repeat(32) })
  const of = (rail: RailName) => (changes[rail] === undefined ? xpubs[rail] : changes[rail])
  return {
    bitcoin: { ...rails.bitcoin, xpub: changes.bitcoin === undefined ? tpub : changes.bitcoin },
    usdt: { ...rails.usdt, xpub: of('usdt') },
    ethereum: { ...rails.ethereum, xpub: of('ethereum') },
  }
}

/** Nodes are configured but never queried: the test controls what they show. */
function withNodes({ bitcoin, usdt, ethereum }: Config['rails']): Config['rails'] {
  const url = 'http://127.0.0.1:9'
  return {
    bitcoin: { ...bitcoin, backend: bitcoin.backend ?? { kind: 'core', url } },
    usdt: { ...usdt, url: usdt.url ?? url },
    ethereum: { ...ethereum, rpcUrl: ethereum.rpcUrl ?? url },
  }
}

/** A world whose deposits of one method are watched, on a network that the test controls. */
export async function openWatchedWorld(
  method: DepositMethod = 'usdt',
  settings: Parameters<typeof scriptedChain>[0] = {},
  changes: Partial<Config> = {},
) {
  const world = await openWorld({ ...changes, rails: withNodes(changes.rails ?? derivedRails()) })
  const { rail, asset: token } = paymentMethods[method]
  const network: ScriptedChain = scriptedChain({ token, now: () => world.clock.now(), ...settings })
  return {
    ...world,
    network,
    sync: () => syncNetwork(world.services, rail, network.chain),
    ask: async (who: Person, amount: number) =>
      (await world.call(call.newDeposit, who, { body: { method, amount } })).data,
    deposit: async (who: Person, id: string) =>
      (await world.call(call.getDeposit, who, { params: { id } })).data,
    expectSoundBooks: async () => {
      const run = await checkBooks(world.services.pool, world.services.log)
      expect(run.checks.filter(({ faults }) => faults > 0)).toEqual([])
    },
  }
}

export type WatchedWorld = Awaited<ReturnType<typeof openWatchedWorld>>

/**
 * An underpaid and confirmed payment of an investment in a world with fixed addresses, stored as a sync stores it.
 * @returns the deposit's id
 */
export async function shortPayment(world: World, who: Person): Promise<string> {
  const body = { method: 'usdt', plan: 'Basic', amount: 500 } as const
  const data = (await world.call(newInvestment, who, { body })).data.deposit!
  const index = Number(data.invoiceId.split('-').at(-1))
  const address = `short ${index}`
  // Its quote shows the fixed address of the firm.
  await tamper(world.database, `UPDATE app.deposits SET address = '${address}' WHERE id = '${data._id}'`)
  await world.owner(`
    INSERT INTO app.chain_cursors (rail, synced_height, synced_hash, tip_height, confirmations, polled_at)
    VALUES ('usdt', 9, 'h', 9, 1, now()) ON CONFLICT DO NOTHING;
    INSERT INTO app.payment_addresses (account, branch, address_index, rail, address, user_id, deposit_id, created_at)
    VALUES ('${'0'.repeat(16)}', 0, ${index}, 'usdt', '${address}', '${who.id}', '${data._id}', now());
    INSERT INTO app.chain_transfers (rail, transaction_id, position, address, token, units, senders, seen_at,
                                     block_height, block_hash, block_time)
    VALUES ('usdt', '${index}', 0, '${address}', 'USDT', 100000000, '{}', now(), 5, 'b', now())`)
  await world.database.db.transaction().execute(tx => noteTransfers(tx, [data._id]))
  return data._id
}
