import { expect, test } from 'vitest'
import { append, emptyLog, isLog, rootOf, sha256 } from './merkle.ts'

/** The examples of Certificate Transparency's own tests: leaves, and the root after each. */
const known = [
  ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
  ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
  ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
  ['606162636465666768696a6b6c6d6e6f', '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
] as const
const leaves = known.map(([content]) => sha256(Buffer.from(`00${content}`, 'hex')))
const roots = known.map(([, root]) => root)

test('[B-03] a log has the roots that RFC 6962 defines, at each size', () => {
  expect(rootOf(emptyLog)).toEqual(sha256(Buffer.alloc(0)))
  let log = emptyLog
  for (const [at, leaf] of leaves.entries()) {
    log = append(log, leaf)
    expect(rootOf(log).toString('hex')).toBe(roots[at])
  }
})

test('[B-03] appending in parts gives the same log as appending at once', () => {
  const whole = append(emptyLog, Buffer.concat(leaves))
  for (const split of leaves.keys()) {
    const first = append(emptyLog, Buffer.concat(leaves.slice(0, split)))
    expect(isLog(first)).toBe(true)
    expect(append(first, Buffer.concat(leaves.slice(split)))).toEqual(whole)
  }
  expect(isLog({ ...whole, size: 7 })).toBe(false)
})
