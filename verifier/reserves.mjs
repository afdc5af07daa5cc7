// @ts-check
import { verifyEthereumMessage, verifyTronMessage } from './account-message.mjs'
import { scriptOfAddress } from './bitcoin-address.mjs'
import { verifyBitcoinMessage } from './bitcoin-message.mjs'
import { base64, equal, hex, textOf } from './bytes.mjs'
import { DECIMALS } from './chart.mjs'
import { Invalid, Unavailable } from './errors.mjs'

/** The coins that a firm proves to control, and the other assets that it states (docs/proof-format.md, Reserves). Pure. */

/** @typedef {import('./bytes.mjs').Hashes} Hashes */
/** @typedef {import('./bitcoin-message.mjs').Coin} Coin */
/** @typedef {{ epoch: number, size: number, root: Uint8Array }} Head of the log after an epoch */
/**
 * @typedef {object} Row
 * @property {string} coin
 * @property {string} network
 * @property {string} height
 * @property {string} address
 * @property {bigint} units
 * @property {string} message
 * @property {string} signature
 * @property {boolean} isContract
 */
/** @typedef {{ coin: string, network: string, units: bigint, cents: bigint, price: Price | null }} Holding */
/** @typedef {{ coin: string, priceE8: bigint, readAt: string, sources: string }} Price */
/**
 * @typedef {object} Reserves
 * @property {number} epoch in which they are sealed
 * @property {number} signedFor the epoch that the message names
 * @property {string} blocks the blocks that it names
 * @property {Holding[]} coins whose signatures hold
 * @property {bigint} cents
 * @property {number} addresses
 * @property {string[]} unchecked addresses whose signatures this verifier cannot check
 * @property {Holding[]} uncheckedCoins what the firm states of them: in none of `coins`
 * @property {bigint} uncheckedCents
 * @property {boolean} isTest
 */
/** @typedef {{ title: string, cents: bigint, asOf: string, sha256: string, source: string }} Asset */

export const RESERVES_HEAD =
  'coin,Network,Snapshot Height,address,amount,message,signature1,signature2,redeem script/ public key,eoa1,eoa2'
export const PRICES_HEAD = 'coin,price USD,read at,sources'
export const ASSETS_HEAD = 'title,amount USD,as of,sha256,source'
/** A message is signed for an epoch that has ended: so many epochs may pass until its signatures are sealed. */
export const MOST_EPOCHS_LATER = 8
/** Names of the networks in a message. */
const NETWORKS = new Map([
  ['BTC', { inMessage: 'btc', coins: ['BTC'] }],
  ['ETH', { inMessage: 'eth', coins: ['ETH', 'USDT', 'USDC'] }],
  ['TRX', { inMessage: 'tron', coins: ['USDT'] }],
])
const CONTRACT = 'EIP-1271'
const MESSAGE =
  /^Probity reserves v1 origin=(\S+) epoch=([1-9]\d{0,14}) size=([1-9]\d{0,14}) root=(\S+)((?: (?:btc|eth|tron)=\d{1,10}:(?:0x)?[0-9a-f]{64})+)$/
const CENTS_E8 = 1_000_000n

/** @param {string} network */
const isTestNetwork = network => network.endsWith(' test')
/** @param {string} network */
const mainNetwork = network => network.replace(/ test$/, '')

/**
 * The records of a table, in the form of RFC 4180 with LF.
 * @param {Uint8Array} bytes
 * @param {string} head
 * @param {string} name
 * @throws {Invalid}
 */
function recordsOf(bytes, head, name) {
  const [first, ...lines] = textOf(bytes).split('\n')
  if (first !== head || lines.pop() !== '')
    throw new Invalid(`${name} does not have its columns or its last line end`)
  return lines.map((line, at) => {
    const fields = fieldsOf(line)
    if (fields?.length !== head.split(',').length)
      throw new Invalid(`line ${at + 2} of ${name} does not have its columns`)
    return fields
  })
}

/** @param {string} line */
function fieldsOf(line) {
  const form = /(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/gy
  const fields = []
  for (let last = 0; last < line.length || fields.length === 0; last = form.lastIndex) {
    const found = form.exec(line)
    if (found === null) return null
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
    if (form.lastIndex === last && line.length > 0) form.lastIndex += 1
  }
  return fields
}

/**
 * @param {string} text
 * @param {number} decimals all of which are written
 */
function unitsOf(text, decimals) {
  const [, whole, fraction = ''] = /^(0|[1-9]\d*)\.(\d+)$/.exec(text) ?? []
  if (whole === undefined || fraction.length !== decimals)
    throw new Invalid(`"${text}" is no amount with ${decimals} decimals`)
  return BigInt(whole + fraction)
}

/**
 * @param {string[]} fields
 * @returns {Row}
 */
function rowOf(fields) {
  const [
    coin = '',
    network = '',
    height = '',
    address = '',
    amount = '',
    message = '',
    signature = '',
    ...rest
  ] = fields
  const known = NETWORKS.get(mainNetwork(network))
  if (!known?.coins.includes(coin)) throw new Invalid(`${address}: no ${coin} is on ${network}`)
  const units = unitsOf(amount, DECIMALS.get(coin) ?? 0)
  const [signature2, script, eoa1, eoa2] = rest
  if (units === 0n) throw new Invalid(`${address} has nothing`)
  if (signature2 !== '' || eoa1 !== '' || eoa2 !== '' || (script !== '' && script !== CONTRACT))
    throw new Invalid(`${address}: a column that must be empty is not`)
  return { coin, network, height, address, units, message, signature, isContract: script === CONTRACT }
}

/**
 * What a message says, if it is bound to this log.
 * @param {string} message
 * @param {{ origin: string, epoch: number, heads: readonly Head[] }} log the epoch in which it is sealed, and all until then
 */
function readMessage(message, { origin, epoch, heads }) {
  const [, name, signedFor, size, root, blocks = ''] = MESSAGE.exec(message) ?? []
  if (name === undefined)
    throw new Invalid(`its message is bound to no log and no block: "${message.slice(0, 80)}"`)
  if (name !== origin) throw new Invalid(`its message is for the log ${name}`)
  const number = Number(signedFor)
  if (number >= epoch || number < epoch - MOST_EPOCHS_LATER)
    throw new Invalid(`its message is of epoch ${number}: it must be one of the ${MOST_EPOCHS_LATER} before`)
  const head = heads.find(one => one.epoch === number)
  if (head === undefined || String(head.size) !== size || base64(head.root) !== root)
    throw new Invalid(`its message does not name the size and root of epoch ${number}`)
  return { signedFor: number, blocks: blocks.trim() }
}

/**
 * @param {Hashes} hashes
 * @param {Row[]} rows
 * @param {Row} row
 * @returns {Coin[]}
 * @throws {Unavailable} if it is a contract's, which only a node can check
 */
function verify(hashes, rows, { network, address, message, signature, isContract }) {
  if (isContract && !network.startsWith('ETH'))
    throw new Invalid(`only on Ethereum can a contract sign (${CONTRACT}), not on ${network}`)
  if (isContract) throw new Unavailable('only a node can ask its contract')
  if (network.startsWith('ETH')) verifyEthereumMessage({ address, message, signature })
  else if (network.startsWith('TRX')) verifyTronMessage(hashes, { address, message, signature })
  else return verifyBitcoin(hashes, rows, { address, message, signature })
  return []
}

/**
 * One proof of funds may show the coins of several addresses.
 * @param {Hashes} hashes
 * @param {Row[]} rows
 * @param {Pick<Row, 'address' | 'message' | 'signature'>} row
 */
function verifyBitcoin(hashes, rows, { address, message, signature }) {
  const [, other] = /^pof@(\S+)$/.exec(signature) ?? []
  if (other === undefined) return verifyBitcoinMessage(hashes, { address, message, signature })
  const whole = rows.find(
    row => row.address === other && row.signature.startsWith('pof') && !row.signature.includes('@'),
  )
  if (whole === undefined) throw new Invalid(`there is no proof of funds of ${other}`)
  return verifyBitcoinMessage(hashes, { address: other, message, signature: whole.signature })
}

/**
 * A proof of funds must show at least the stated amount.
 * @param {Hashes} hashes
 * @param {Row} row
 * @param {Coin[]} coins
 */
function requireCoins(hashes, { address, units, signature }, coins) {
  if (!signature.startsWith('pof')) return
  const { script } = scriptOfAddress(hashes, address)
  const own = new Map(
    coins.filter(coin => equal(coin.script, script)).map(coin => [coin.outpoint, coin.amount]),
  )
  const sum = [...own.values()].reduce((total, amount) => total + amount, 0n)
  if (sum !== units)
    throw new Invalid(`${address}: its proof of funds shows ${sum} satoshi, the file states ${units}`)
}

/**
 * Rounded down.
 * @param {bigint} units
 * @param {string} coin
 * @param {Price | null} price
 */
export function centsOf(units, coin, price) {
  return price === null ? 0n : (units * price.priceE8) / (CENTS_E8 * 10n ** BigInt(DECIMALS.get(coin) ?? 0))
}

/**
 * @param {Uint8Array} bytes
 * @returns {Map<string, Price>}
 */
function pricesIn(bytes) {
  const prices = new Map()
  for (const [coin = '', price = '', readAt = '', sources = ''] of recordsOf(
    bytes,
    PRICES_HEAD,
    'reserves-prices.csv',
  )) {
    if (prices.has(coin)) throw new Invalid(`reserves-prices.csv has two prices of ${coin}`)
    if (!DECIMALS.has(coin) || sources === '' || Number.isNaN(Date.parse(readAt)))
      throw new Invalid(`reserves-prices.csv does not say where the price of ${coin} is from`)
    prices.set(coin, { coin, priceE8: unitsOf(price, 8), readAt, sources })
  }
  return prices
}

/**
 * @param {Hashes} hashes
 * @param {{ reserves: Uint8Array, prices: Uint8Array }} files
 * @param {{ origin: string, epoch: number, heads: readonly Head[] }} log
 * @returns {Reserves}
 * @throws {Invalid}
 */
export function checkReserves(hashes, { reserves, prices: priceFile }, log) {
  const rows = recordsOf(reserves, RESERVES_HEAD, 'reserves.csv').map(rowOf)
  const prices = pricesIn(priceFile)
  const [first] = rows
  if (first === undefined) throw new Invalid('reserves.csv has no address')
  const { signedFor, blocks } = readMessage(first.message, log)
  const seen = new Set()
  /** @type {[Row[], Row[]]} */
  const [checkedRows, uncheckedRows] = [[], []]
  for (const row of rows) {
    if (row.message !== first.message)
      throw new Invalid(`${row.address} has signed another message than the first one`)
    const place = `${mainNetwork(row.network)} ${row.coin} ${ownerOf(hashes, row)}`
    if (seen.has(place)) throw new Invalid(`${row.address} is there twice for ${row.coin}`)
    seen.add(place)
    requireHeight(row, blocks)
    const alike = checkSignature(hashes, rows, row) ? checkedRows : uncheckedRows
    alike.push(row)
  }
  const [coins, uncheckedCoins] = [holdingsIn(checkedRows, prices), holdingsIn(uncheckedRows, prices)]
  return {
    epoch: log.epoch,
    signedFor,
    blocks,
    coins,
    cents: sumOf(coins),
    addresses: addressesOf(hashes, rows).length,
    unchecked: addressesOf(hashes, uncheckedRows),
    uncheckedCoins,
    uncheckedCents: sumOf(uncheckedCoins),
    isTest: rows.some(({ network }) => isTestNetwork(network)),
  }
}

/**
 * Who can spend, the same for all spellings of an address: a signature of Bitcoin binds its script alone (BIP-322).
 * @param {Hashes} hashes
 * @param {Row} row
 */
function ownerOf(hashes, { network, address }) {
  if (mainNetwork(network) === 'TRX') return address
  if (mainNetwork(network) === 'ETH') {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new Invalid(`${address} is not an Ethereum address`)
    return address.toLowerCase()
  }
  const { script, isTest } = scriptOfAddress(hashes, address)
  if (isTest !== isTestNetwork(network))
    throw new Invalid(
      `${address} is an address of ${isTest ? 'a test' : 'the main'} network, not of ${network}`,
    )
  return hex(script)
}

/**
 * One for each owner.
 * @param {Hashes} hashes
 * @param {Row[]} rows
 */
function addressesOf(hashes, rows) {
  return [...new Map(rows.map(row => [ownerOf(hashes, row), row.address])).values()]
}

/**
 * The sums of each coin on each network.
 * @param {Row[]} rows
 * @param {Map<string, Price>} prices
 */
function holdingsIn(rows, prices) {
  /** @type {Map<string, Holding>} */
  const found = new Map()
  for (const { coin, network, units: more } of rows) {
    const key = `${network} ${coin}`
    const price = prices.get(coin) ?? null
    const units = (found.get(key)?.units ?? 0n) + more
    found.set(key, { coin, network, units, cents: centsOf(units, coin, price), price })
  }
  return [...found.values()]
}

/** @param {Holding[]} holdings */
function sumOf(holdings) {
  return holdings.reduce((sum, { cents }) => sum + cents, 0n)
}

/**
 * @param {Row} row
 * @param {string} blocks
 */
function requireHeight({ network, height, address }, blocks) {
  const name = NETWORKS.get(mainNetwork(network))?.inMessage
  if (!blocks.split(' ').some(block => block.startsWith(`${name}=${height}:`)))
    throw new Invalid(`${address}: its height ${height} is not the one in the message`)
}

/**
 * @param {Hashes} hashes
 * @param {Row[]} rows
 * @param {Row} row
 * @returns {boolean} false if this verifier cannot check it
 * @throws {Invalid}
 */
function checkSignature(hashes, rows, row) {
  try {
    requireCoins(hashes, row, verify(hashes, rows, row))
    return true
  } catch (error) {
    if (error instanceof Unavailable) return false
    if (error instanceof Invalid) throw new Invalid(`${row.address}: ${error.message}`)
    throw error
  }
}

/**
 * @param {Uint8Array} bytes assets.csv
 * @returns {Asset[]}
 * @throws {Invalid}
 */
export function checkAssets(bytes) {
  const assets = recordsOf(bytes, ASSETS_HEAD, 'assets.csv').map(fields => {
    const [title = '', amount = '', asOf = '', sha256 = '', source = ''] = fields
    if (title === '' || source === '' || !/^\d{4}-\d\d-\d\d$/.test(asOf) || !/^[0-9a-f]{64}$/.test(sha256))
      throw new Invalid(`assets.csv does not say when, by whom and by which document "${title}" is stated`)
    return { title, cents: unitsOf(amount, 2), asOf, sha256, source }
  })
  if (new Set(assets.map(({ sha256 }) => sha256)).size !== assets.length)
    throw new Invalid('assets.csv names one document twice')
  return assets
}
