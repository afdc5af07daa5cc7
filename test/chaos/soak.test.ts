import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openProduct, type Seat } from './product.ts'
import { actWhile, keepTable, SECONDS, SEED } from './run.ts'

const KEPT_MEMORY = join(import.meta.dirname, '../support/kept-memory.mjs')
/** What caches may still fill up with after a quarter of the run, in bytes. */
const SLACK = 8 * 2 ** 20

type Quarter = { kept: number; resident: number }

/** The smallest samples of the second and the last quarter: the first fills caches, and requests under way are not kept. */
function quartersOf({ memoryFile }: Seat): { early: Quarter; late: Quarter } {
  const samples = readFileSync(memoryFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => line.split(' ').map(Number))
  const quarter = (number: number): Quarter => {
    const part = samples.slice((samples.length * number) / 4, (samples.length * (number + 1)) / 4)
    return {
      kept: Math.min(...part.map(([kept]) => kept!)),
      resident: Math.min(...part.map(([, resident]) => resident!)),
    }
  }
  return { early: quarter(1), late: quarter(3) }
}

const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1)

/** `npm run chaos -- --soak` runs it for ten minutes; in `npm test` it would show nothing. */
test(
  `memory does not grow while people act and nothing fails (seed ${SEED})`,
  async () => {
    const product = await openProduct(SECONDS, { nodeOptions: ['--expose-gc', '--import', KEPT_MEMORY] })
    const { history } = await actWhile(product, { nothing() {} })
    const measured = product.seats.map(seat => ({ role: seat.role, ...quartersOf(seat) }))
    const rows = measured.map(({ role, early, late }) => {
      const values = [early.kept, late.kept, early.resident, late.resident].map(megabytes)
      return `| ${role} | ${values.join(' | ')} |`
    })
    keepTable(`| process | kept early, MB | kept late, MB | resident early, MB | resident late, MB |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

${history.acknowledged.length.toLocaleString('en')} acts acknowledged in ${SECONDS} s.
`)
    expect(measured.filter(({ early, late }) => late.kept > early.kept + SLACK)).toEqual([])
  },
  (SECONDS + 300) * 1000,
)
