import { addressKey, addressNetwork, extendedKeyKind, lossReason, type Network } from '#shared/addresses.ts'
import { type DepositMethod, depositMethods, type WithdrawalWallet } from '#shared/coins.ts'
import type { Environment, Variable } from './environment.ts'

/**
 * The demonstration's addresses: regtest and legacy testnet forms of a hash, which no main network accepts. Ethereum
 * has one form for all its networks; nobody holds the key of this one.
 */
export const demoAddresses: Record<DepositMethod, string> = {
  bitcoin: 'bcrt1qs79nvks8m8g4pqqvaplmyeawnxqtpehwmzvx5l',
  usdt: '27bSCXuu9gKokvhitwouRnFzzDgqp27Fu5A',
  ethereum: '0x878b365a07d9d150800Ce87Fb267Ae9980b0E6Ee',
}

/** The configured addresses, by payment method. */
export function givenAddresses(env: Partial<Environment>): Partial<Record<DepositMethod, string>> {
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
} as const satisfies Record<DepositMethod, WithdrawalWallet>

/** Errors in a demonstration's payment addresses. */
export function demoAddressErrors(env: Partial<Environment>): string[] {
  return addressErrors(
    env,
    // Ethereum's addresses look the same on all its networks.
    (method, network) => network === 'test' || method === 'ethereum',
    'must be an address of a test network (bcrt1…, tb1…, 27…) in demo mode',
  )
}

/** Errors in a live installation's payment addresses, and their absence. */
export function liveAddressErrors(env: Partial<Environment>): string[] {
  const given = givenAddresses(env)
  const keys = [env.BITCOIN_XPUB, env.TRON_XPUB, env.ETHEREUM_XPUB]
  const missing =
    depositMethods.every(method => given[method] === undefined) && keys.every(key => key === undefined)
  return [
    ...(missing
      ? [
          'PAYMENT_ADDRESS_BITCOIN, …_USDT or …_ETHEREUM, or BITCOIN_XPUB, TRON_… or ETHEREUM_…: at least one wallet is missing',
        ]
      : []),
    ...addressErrors(
      env,
      (_method, network) => network === 'main',
      'must be an address of the main network in live mode',
    ),
    ...sampleAddressErrors(env),
  ]
}

/** Errors in the configured payment addresses. */
function addressErrors(
  env: Partial<Environment>,
  fits: (method: DepositMethod, network: Network) => boolean,
  message: string,
): string[] {
  return depositMethods.flatMap(method => {
    const name = `PAYMENT_ADDRESS_${method.toUpperCase()}` as Variable
    const address = env[name]
    if (typeof address !== 'string' || address === '') return []
    const network = addressNetwork(paymentCoins[method], address)
    if (network === undefined) return [`${name}: ${notAnAddress(method, address)}`]
    if (!fits(method, network)) return [`${name}: ${message}`]
    const error = lossReason(address, givenContracts(env))
    return error === undefined ? [] : [`${name}: ${error}`]
  })
}

/** Token contracts of a private or test network. */
export function givenContracts(env: Partial<Environment>): string[] {
  return [env.ETHEREUM_USDT_CONTRACT, env.ETHEREUM_USDC_CONTRACT].filter(text => text !== undefined)
}

/** Never repeat the value: it may be a private key. */
function notAnAddress(method: DepositMethod, value: string): string {
  const key = extendedKeyKind(value)
  if (key === 'private') return 'is a private key. This server must never have one; move its funds at once'
  if (key === 'public') return 'is an extended public key; one address is needed, to which every deposit goes'
  return `is not a valid ${paymentCoins[method]} address`
}

/**
 * Ethereum's addresses look the same on all networks, so someone might copy the demonstration's, which nobody can spend
 * from.
 */
function sampleAddressErrors(env: Partial<Environment>): string[] {
  return depositMethods
    .filter(method => {
      const address = givenAddresses(env)[method]
      return address !== undefined && addressKey(address) === addressKey(demoAddresses[method])
    })
    .filter(method => addressNetwork(paymentCoins[method], demoAddresses[method]) === 'main')
    .map(method => `PAYMENT_ADDRESS_${method.toUpperCase()}: is the demonstration's; nobody holds its key`)
}
