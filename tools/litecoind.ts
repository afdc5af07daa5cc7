import { type DebianProgram, findProgram, installProgram } from './debian.ts'

/**
 * Litecoin's node, a fork of Bitcoin Core 0.21 with the same interface; Debian has it, unlike Bitcoin's. Tests of the
 * Bitcoin rail run it on a private network.
 */
const litecoind: DebianProgram = {
  name: 'litecoind',
  variable: 'LITECOIND_PATH',
  packages: ['litecoind'],
  elsewhere: 'litecoind 0.21',
}

export const findLitecoind = () => findProgram(litecoind)
export const installLitecoind = () => installProgram(litecoind)
