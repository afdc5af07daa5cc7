import type { Holding } from '#server/rails/chain.ts'
import { transferCall } from '#server/rails/ethereum/erc20.ts'
import { tronHash } from './addresses.ts'
import * as forms from './forms.ts'
import type { Service } from './service.ts'

/** @property contract of USDT, as 20 bytes in hexadecimal */
type Usdt = { service: Service; contract: string }

/**
 * What addresses hold in USDT, and, of those that have some, in TRX; with the energy that a transfer takes. One to three requests for each
 * address.
 * @param to the recipient of the transfers, whose TRX is read too
 * @throws ChainError
 */
export async function holdings(
  usdt: Usdt,
  addresses: readonly string[],
  { to, balanceOf }: { to: string; balanceOf: (address: string) => Promise<bigint> },
): Promise<Holding[]> {
  const found = await trxOf(usdt.service, to)
  for (const address of addresses.filter(one => one !== to)) {
    const units = await balanceOf(address)
    if (units === 0n) continue
    const gas = await energyOf(usdt, { from: address, to, units })
    found.push({ address, token: 'USDT', units, gas, nextNonce: null })
    found.push(...(await trxOf(usdt.service, address)))
  }
  return found
}

/** Nothing for an address without an account: nobody has sent it TRX yet. */
async function trxOf(service: Service, address: string): Promise<Holding[]> {
  const account = await service.ask('/wallet/getaccount', { address: wire(address) }, forms.accountBalance)
  const units = BigInt(account.balance)
  return units === 0n ? [] : [{ address, token: 'TRX', units, gas: null, nextNonce: null }]
}

/** null if the transfer would fail. */
async function energyOf(
  { service, contract }: Usdt,
  { from, to, units }: { from: string; to: string; units: bigint },
): Promise<bigint | null> {
  const body = {
    owner_address: wire(from),
    contract_address: `41${contract}`,
    function_selector: 'transfer(address,uint256)',
    parameter: transferCall(`0x${hashOf(to)}`, units).slice('0xa9059cbb'.length),
  }
  const tried = await service.ask('/wallet/triggerconstantcontract', body, forms.triedCall)
  return tried.energy === undefined ? null : BigInt(tried.energy)
}

function wire(address: string): string {
  return `41${hashOf(address)}`
}

function hashOf(address: string): string {
  return Buffer.from(tronHash(address)).toString('hex')
}
