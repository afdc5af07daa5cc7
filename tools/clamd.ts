import { type DebianProgram, findProgram, installProgram } from './debian.ts'

/** ClamAV's daemon, which tests run with one signature of their own. */
const clamd: DebianProgram = {
  name: 'clamd',
  variable: 'CLAMD_PATH',
  packages: ['clamav-daemon'],
  elsewhere: 'ClamAV',
}

export const findClamd = () => findProgram(clamd)
export const installClamd = () => installProgram(clamd)
