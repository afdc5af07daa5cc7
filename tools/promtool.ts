import { type DebianProgram, findProgram, installProgram } from './debian.ts'

/** Prometheus's own check of its rules. */
const promtool: DebianProgram = {
  name: 'promtool',
  variable: 'PROMTOOL_PATH',
  packages: ['prometheus'],
  elsewhere: 'Prometheus',
}

export const findPromtool = () => findProgram(promtool)
export const installPromtool = () => installProgram(promtool)
