import { existsSync } from 'node:fs'
import { type DebianProgram, findProgram, installProgram } from './debian.ts'

/** Programs of other authors that judge the public proof: what they accept, everybody can check with them. */

const hledger: DebianProgram = {
  name: 'hledger',
  variable: 'HLEDGER_PATH',
  packages: ['hledger'],
  elsewhere: 'hledger',
}
const ledger: DebianProgram = {
  name: 'ledger',
  variable: 'LEDGER_PATH',
  packages: ['ledger'],
  elsewhere: 'ledger 3',
}
const beancount: DebianProgram = {
  name: 'bean-check',
  variable: 'BEAN_CHECK_PATH',
  packages: ['beancount'],
  elsewhere: 'beancount 2',
}
const openssl: DebianProgram = {
  name: 'openssl',
  variable: 'OPENSSL_PATH',
  packages: ['openssl'],
  elsewhere: 'OpenSSL 3',
}
const go: DebianProgram = {
  name: 'go',
  variable: 'GO_PATH',
  packages: ['golang-go', 'golang-golang-x-mod-dev'],
  elsewhere: 'Go and its library golang.org/x/mod, as Debian has them',
}

/** Where Debian's packages of Go have their libraries. */
export const GO_LIBRARIES = '/usr/share/gocode'

export const findHledger = () => findProgram(hledger)
export const installHledger = () => installProgram(hledger)
export const findLedger = () => findProgram(ledger)
export const installLedger = () => installProgram(ledger)
export const findBeancount = () => findProgram(beancount)
export const installBeancount = () => installProgram(beancount)
export const findOpenssl = () => findProgram(openssl)
export const installOpenssl = () => installProgram(openssl)
export const findGo = () =>
  existsSync(`${GO_LIBRARIES}/src/golang.org/x/mod/sumdb/tlog`) ? findProgram(go) : null
export const installGo = () => installProgram(go)
