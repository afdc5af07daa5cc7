import { addressKey, addressNetwork, extendedKeyKind, lossReason, type Network } from '#shared/addresses.ts'
import { type RailName, railNames, type WithdrawalWallet } from '#shared/coins.ts'
import type { Environment, Variable } from './environment.ts'

/**
 * The demonstration's addresses: regtest and legacy testnet forms of a hash, which no main network accepts. Ethereum
 * has one form for all its networks; nobody holds the key of this one.
 */
export const demoAddresses: Record<RailName, string> = {
  bitcoin: 'bcrt1qs79nvks8m8g4pqqvaplmyeawnxqtpehwmzvx5l',
  usdt: '27bSCXuu9gKokvhitwouRnFzzDgqp27Fu5A',
  ethereum: '0x878b365a07d9d150800Ce87Fb267Ae9980b0E6Ee',
}

/** The configured addresses, by rail. */
export function givenAddresses(env: Partial<Environment>): Partial<Record<RailName, string>> {
  return {
    ...(env.PAYMENT_ADDRESS_BITCOIN ? { bitcoin: env.PAYMENT_ADDRESS_BITCOIN } : {}),
    ...(env.PAYMENT_ADDRESS_USDT ? { usdt: env.PAYMENT_ADDRESS_USDT } : {}),
    ...(env.PAYMENT_ADDRESS_ETHEREUM ? { ethereum: env.PAYMENT_ADDRESS_ETHEREUM } : {}),
  }
}

/** The coin whose format and checksum an address must have: payments to a mistyped one would be lost. */
const paymentCoins = {
  bitcoin: 'Bitcoin (BTC)',
  usdt: 'USDT TRC-20',
  ethereum: 'Ethereum (ETH)',
} as const satisfies Record<RailName, WithdrawalWallet>

/** Errors in a demonstration's payment addresses. */
export function demoAddressErrors(env: Partial<Environment>): string[] {
  return addressErrors(
    env,
    // Ethereum's addresses look the same on all its networks.
    (rail, network) => network === 'test' || rail === 'ethereum',
    'must be an address of a test network (bcrt1…, tb1…, 27…) in demo mode',
  )
}

/** Errors in a live installation's payment addresses, and their absence. */
export function liveAddressErrors(env: Partial<Environment>): string[] {
  const given = givenAddresses(env)
  const keys = [env.BITCOIN_XPUB, env.TRON_XPUB, env.ETHEREUM_XPUB]
  const missing = railNames.every(rail => given[rail] === undefined) && keys.every(key => key === undefined)
  return [
    ...(missing
      ? [
          'PAYMENT_ADDRESS_BITCOIN, …_USDT or …_ETHEREUM, or BITCOIN_XPUB, TRON_… or ETHEREUM_…: at least one wallet is missing',
        ]
      : []),
    ...addressErrors(
      env,
      (_rail, network) => network === 'main',
      'must be an address of the main network in live mode',
    ),
    ...sampleAddressErrors(env),
  ]
}

/** Errors in the configured payment addresses. */
function addressErrors(
  env: Partial<Environment>,
  fits: (rail: RailName, network: Network) => boolean,
  message: string,
): string[] {
  return railNames.flatMap(rail => {
    const name = `PAYMENT_ADDRESS_${rail.toUpperCase()}` as Variable
    const address = env[name]
    if (typeof address !== 'string' || address === '') return []
    const network = addressNetwork(paymentCoins[rail], address)
    if (network === undefined) return [`${name}: ${notAnAddress(rail, address)}`]
    if (!fits(rail, network)) return [`${name}: ${message}`]
    const error = lossReason(address, givenContracts(env))
    return error === undefined ? [] : [`${name}: ${error}`]
  })
}

/** Token contracts of a private or test network. */
export function givenContracts(env: Partial<Environment>): string[] {
  return [env.ETHEREUM_USDT_CONTRACT, env.ETHEREUM_USDC_CONTRACT].filter(text => text !== undefined)
}

/** Never repeat the value: it may be a private key. */
function notAnAddress(rail: RailName, value: string): string {
  const key = extendedKeyKind(value)
  if (key === 'private') return 'is a private key. This server must never have one; move its funds at once'
  if (key === 'public') return 'is an extended public key; one address is needed, to which every deposit goes'
  return `is not a valid ${paymentCoins[rail]} address`
}

/**
 * Ethereum's addresses look the same on all networks, so someone might copy the demonstration's, which nobody can spend
 * from.
 */
function sampleAddressErrors(env: Partial<Environment>): string[] {
  return railNames
    .filter(rail => {
      const address = givenAddresses(env)[rail]
      return address !== undefined && addressKey(address) === addressKey(demoAddresses[rail])
    })
    .filter(rail => addressNetwork(paymentCoins[rail], demoAddresses[rail]) === 'main')
    .map(rail => `PAYMENT_ADDRESS_${rail.toUpperCase()}: is the demonstration's; nobody holds its key`)
}
