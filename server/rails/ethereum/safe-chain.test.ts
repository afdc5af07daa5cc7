import { type Hex, toEventSelector } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Chain, ChainError, nonceSlot } from '#server/rails/chain.ts'
import { addressKey } from '#shared/addresses.ts'
import { openAnvil, payer, type TestChain, withoutAnvil } from '#test/support/anvil.ts'
import { openSafe } from '#test/support/safe.ts'
import contracts from '#test/support/safe-contracts.json' with { type: 'json' }
import { ethereumChain } from './json-rpc.ts'

describe.skipIf(withoutAnvil)('the address that pays', () => {
  let network: TestChain
  beforeAll(async () => {
    network = await openAnvil()
  })
  /** As after a process start. */
  const chain = (): Chain =>
    ethereumChain({ rpcUrl: network.url, chainId: 31_337, confirmations: 2, contracts: {} })
  const nextOf = (address: string) => chain().nextNonce!(address.toLowerCase())
  const codeAt = (address: Hex, bytecode: Hex) => network.client.setCode({ address, bytecode })
  /** What the newest block shows of a Safe. */
  const executionsOf = async (safe: string) => {
    const { height } = await chain().tip()
    const watched = { addresses: new Set<string>(), senders: new Set<string>(), outpoints: new Set<string>() }
    const payers = new Set([addressKey(safe)])
    return (await chain().scan({ from: height, to: height }, { ...watched, payers })).spends
  }
  const refused = async (address: string) => {
    const error = await nextOf(address).catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(ChainError)
    return (error as ChainError).message
  }

  test.each(['1.3.0', '1.4.1'] as const)('[S-04] is known as a Safe %s, with its nonce', async version => {
    const safe = await openSafe(network, version)
    expect(await nextOf(safe.address)).toEqual({ nonce: 0, safe: version })
    await safe.execute({ to: safe.address, value: 0n, data: '0x', operation: 0 }, 0)
    await network.mine()
    expect(await nextOf(safe.address)).toEqual({ nonce: 1, safe: version })
  })

  test('[S-04] is that of a key, also if the key delegates to code (EIP-7702)', async () => {
    const { address } = payer(6)
    expect(await nextOf(address)).toMatchObject({ safe: null })
    await codeAt(address, `0xef0100${'41'.repeat(20)}`)
    expect(await nextOf(address)).toMatchObject({ safe: null })
  })

  test('[T-06] is refused if it is another contract, or a Safe of another version', async () => {
    const token = await network.token(0)
    expect(await refused(token)).toMatch(`${token.toLowerCase()} is a contract, and not to be read as a Safe`)
    const older = `0x${'52'.repeat(20)}` as const
    const renamed = contracts['1.4.1'].singleton.replace('312e342e31', '312e322e30')
    await codeAt(older, renamed as Hex)
    expect(await refused(older)).toBe(`${older} is a contract, but no Safe of version 1.3.0 or 1.4.1`)
  })

  test.each(['1.3.0', '1.4.1'] as const)(
    '[T-06] is a Safe %s that executes code of its owners: what that claims has no nonce',
    async version => {
      const safe = await openSafe(network, version)
      const claiming = `0x${'53'.repeat(20)}` as const
      // LOG1 of 64 bytes of zeros: the event of a Safe 1.3.0.
      await codeAt(
        claiming,
        `0x7f${toEventSelector('ExecutionSuccess(bytes32,uint256)').slice(2)}60406000a100`,
      )
      const tx = { to: claiming, value: 0n, data: '0x', operation: 1 } as const
      const safeTxHash = await safe.hashOf(tx, 0)
      const transactionId = await safe.execute(tx, 0)
      await network.mine()
      const of = { sender: addressKey(safe.address), transactionId }
      expect(await executionsOf(safe.address)).toMatchObject([
        { ...of, slot: `${of.sender}:${transactionId}` },
        { ...of, slot: nonceSlot(of.sender, 0), safeTxHash },
      ])
    },
  )

  test('[T-06] is a Safe whose owners let code write over its nonce: its executions have none', async () => {
    const safe = await openSafe(network, '1.4.1')
    const writing = `0x${'54'.repeat(20)}` as const
    // SSTORE of the highest number.
    await codeAt(writing, `0x7f${'ff'.repeat(32)}60055500`)
    const transactionId = await safe.execute({ to: writing, value: 0n, data: '0x', operation: 1 }, 0)
    await network.mine()
    const sender = addressKey(safe.address)
    expect(await executionsOf(sender)).toMatchObject([{ sender, slot: `${sender}:${transactionId}` }])
    expect(await refused(sender)).toBe(`${sender} stores what no nonce of a Safe can be`)
  })

  test('[T-06] is refused if a Safe could not pay several at once', async () => {
    const safe = await openSafe(network, '1.4.1')
    const multiSend = '0x9641d764fc13c8B624c04430C7356C1C7C8102e2'
    await codeAt(multiSend, '0x')
    expect(await refused(safe.address)).toBe(
      `MultiSendCallOnly of Safe 1.4.1 is not at ${multiSend} on this chain`,
    )
  })
})
