import { concatHex, type Hex, numberToHex, size, toEventSelector } from 'viem'

/**
 * An assembler for the tests' few contracts, since there is no Solidity compiler here. Words are separated by spaces:
 * an operation by its name (Yellow Paper, appendix H), `0x…` pushes these bytes, `@name` pushes the position of
 * `name:`, and a semicolon starts a comment.
 */
export function assemble(text: string): Hex {
  const words = text
    .split('\n')
    .flatMap(line => line.replace(/;.*/, '').split(/\s+/))
    .filter(word => word !== '')
  const places = new Map<string, number>()
  let length = 0
  for (const word of words) {
    if (word.endsWith(':')) places.set(word.slice(0, -1), length)
    length += word.startsWith('0x') ? 1 + size(word as Hex) : word.startsWith('@') ? 3 : 1
  }
  return concatHex(words.map(word => encode(word, places)))
}

function encode(word: string, places: ReadonlyMap<string, number>): Hex {
  if (word.startsWith('0x')) return push(word as Hex)
  if (word.startsWith('@')) return push(numberToHex(places.get(word.slice(1))!, { size: 2 }))
  return word.endsWith(':') ? operations.JUMPDEST : operations[word as keyof typeof operations]
}

function push(bytes: Hex): Hex {
  return concatHex([numberToHex(0x5f + size(bytes), { size: 1 }), bytes])
}

const operations = {
  STOP: '0x00',
  ADD: '0x01',
  SUB: '0x03',
  LT: '0x10',
  EQ: '0x14',
  SHR: '0x1c',
  CALLER: '0x33',
  CALLDATALOAD: '0x35',
  CALLDATASIZE: '0x36',
  CALLDATACOPY: '0x37',
  CODECOPY: '0x39',
  POP: '0x50',
  MSTORE: '0x52',
  SLOAD: '0x54',
  SSTORE: '0x55',
  JUMPI: '0x57',
  GAS: '0x5a',
  JUMPDEST: '0x5b',
  DUP1: '0x80',
  DUP2: '0x81',
  SWAP1: '0x90',
  LOG3: '0xa3',
  CALL: '0xf1',
  RETURN: '0xf3',
  DELEGATECALL: '0xf4',
  REVERT: '0xfd',
} as const satisfies Record<string, Hex>

export type TokenOptions = {
  decimals?: number
  /** Whether `transfer` returns true, as EIP-20 demands; the main network's USDT returns nothing. */
  answers?: boolean
}

/** The whole supply, which the deployer owns at first: a billion with six decimals. */
const SUPPLY = numberToHex(10n ** 15n, { size: 32 })
const transferTopic = toEventSelector('event Transfer(address indexed, address indexed, uint256)')

/** A token (EIP-20) with decimals, balanceOf and transfer; a holder's balance is in the slot of their address. */
export function tokenCode({ decimals = 6, answers = true }: TokenOptions = {}): Hex {
  return deploying(
    `${SUPPLY} CALLER SSTORE`,
    `
      0x00 CALLDATALOAD 0xe0 SHR              ; which function: the first four bytes
      DUP1 0x313ce567 EQ @decimals JUMPI
      DUP1 0x70a08231 EQ @balanceOf JUMPI
      DUP1 0xa9059cbb EQ @transfer JUMPI
    fail: 0x00 DUP1 REVERT
    decimals: ${numberToHex(decimals, { size: 1 })} 0x00 MSTORE 0x20 0x00 RETURN
    balanceOf: 0x04 CALLDATALOAD SLOAD 0x00 MSTORE 0x20 0x00 RETURN
    transfer:
      0x24 CALLDATALOAD CALLER SLOAD          ; value, what the sender has
      DUP2 DUP2 LT @fail JUMPI                ; has < value
      DUP2 SWAP1 SUB CALLER SSTORE            ; value
      DUP1 0x04 CALLDATALOAD SLOAD ADD
      0x04 CALLDATALOAD SSTORE                ; value
      0x00 MSTORE
      0x04 CALLDATALOAD CALLER ${transferTopic} 0x20 0x00 LOG3
      ${answers ? '0x01 0x00 MSTORE 0x20 0x00 RETURN' : 'STOP'}
    `,
  )
}

/** A wallet that keeps ether and, called with an address and an amount, sends it there: an internal transfer. */
export function walletCode(): Hex {
  return deploying('', '0x00 0x00 0x00 0x00 0x20 CALLDATALOAD 0x00 CALLDATALOAD GAS CALL POP STOP')
}

/** A proxy that runs another contract's code as its own, as a Safe does. */
export function proxyCode(of: Hex): Hex {
  return deploying(
    '',
    `CALLDATASIZE 0x00 0x00 CALLDATACOPY 0x00 0x00 CALLDATASIZE 0x00 ${of} GAS DELEGATECALL POP STOP`,
  )
}

/** Code that runs `first` once, and leaves `text` as the contract. */
function deploying(first: string, text: string): Hex {
  const code = assemble(text)
  const length = numberToHex(size(code), { size: 2 })
  const begin = (offset: number) =>
    assemble(`${first} ${length} DUP1 ${numberToHex(offset, { size: 2 })} 0x00 CODECOPY 0x00 RETURN`)
  return concatHex([begin(size(begin(0))), code])
}

export type Call = { to: Hex; value?: bigint; data?: Hex }

/**
 * Code that makes these calls when deployed, one after the other, and leaves an empty contract: several payments in one
 * transaction.
 */
export function callsCode(calls: readonly Call[]): Hex {
  return assemble(
    calls
      .map(({ to, value = 0n, data = '0x' }) => {
        const words = (data.slice(2).match(/.{1,64}/g) ?? []).map(word => `0x${word.padEnd(64, '0')}`)
        const memory = words.map((word, at) => `${word} ${numberToHex(at * 32, { size: 2 })} MSTORE`)
        const amount = numberToHex(value, { size: 32 })
        return `${memory.join(' ')} 0x00 0x00 ${numberToHex(size(data), { size: 2 })} 0x00 ${amount} ${to} GAS CALL POP`
      })
      .join(' ')
      .concat(' STOP'),
  )
}
