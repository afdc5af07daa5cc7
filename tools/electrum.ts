import { type DebianProgram, findProgram, installProgram } from './debian.ts'

/** A wallet of other authors, which tests use offline: it reads and signs our payouts. Debian has it. */
const electrum: DebianProgram = {
  name: 'electrum',
  variable: 'ELECTRUM_PATH',
  packages: ['electrum'],
  elsewhere: 'Electrum 4',
}

export const findElectrum = () => findProgram(electrum)
export const installElectrum = () => installProgram(electrum)
