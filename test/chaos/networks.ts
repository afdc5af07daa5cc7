import { setTimeout as delay } from 'node:timers/promises'
import { withoutAnvil } from '#test/support/anvil.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { withoutLitecoind } from '#test/support/litecoind.ts'
import { lyingBitcoin } from '#test/support/lying-networks/bitcoin.ts'
import { lyingEthereum } from '#test/support/lying-networks/ethereum.ts'
import type { LyingNetwork } from '#test/support/lying-networks/network.ts'
import { lyingTron } from '#test/support/lying-networks/tron.ts'

/** Blocks of anvil are a second apart at least, and none may be of the future. */
const BLOCK_MS = 1_000

/** The networks of the run, as far as their nodes are installed; without new blocks yet. */
export function openNetworks(): Promise<LyingNetwork[]> {
  const opened: Promise<LyingNetwork>[] = [
    ...(withoutLitecoind === undefined ? [lyingBitcoin()] : []),
    ...(withoutAnvil === undefined ? [lyingEthereum()] : []),
    lyingTron(),
  ]
  return Promise.all(opened)
}

/** Mines blocks until the test file ends. */
export function mineOn({ mine }: LyingNetwork): void {
  let isOver = false
  const mining = (async () => {
    while (!isOver) {
      await mine()
      await delay(BLOCK_MS)
    }
  })()
  atEnd(async () => {
    isOver = true
    await mining
  })
}
