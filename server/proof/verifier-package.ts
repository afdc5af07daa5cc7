import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { packTar } from 'modern-tar'

const ROOT = join(import.meta.dirname, '../..')
/** What its README links to. */
const DOCUMENTS = ['docs/proof-format.md', 'docs/proof-mutations.md', 'server/ledger/README.md']

let known: Promise<Buffer> | undefined

/**
 * The verifier as a package of npm, with the format's description: `npx` runs it from its address. Without any script that
 * npm would run at its installation, and with the same bytes on each machine that has the same release and Node.
 */
export function verifierPackage(): Promise<Buffer> {
  known ??= pack().catch(error => {
    known = undefined
    throw error
  })
  return known
}

async function pack(): Promise<Buffer> {
  const names = (await readdir(join(ROOT, 'verifier'))).filter(name => /\.(mjs|awk|md)$/.test(name))
  const paths = [...names.map(name => `verifier/${name}`), ...DOCUMENTS].toSorted()
  const files = await Promise.all(
    paths.map(async path => ({ path, content: await readFile(join(ROOT, path)) })),
  )
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const described = { path: 'package.json', content: Buffer.from(manifest(version)) }
  const entries = [described, ...files].map(({ path, content }) => ({
    header: { name: `package/${path}`, size: content.length, mode: modeOf(path), mtime: new Date(0) },
    body: content,
  }))
  return await promisify(gzip)(await packTar(entries), { level: 9 })
}

const modeOf = (path: string) => (/\/(verify|witness)\.mjs$/.test(path) ? 0o755 : 0o644)

function manifest(version: string): string {
  const described = {
    name: 'probity-verifier',
    version,
    description: "Checks everything that a firm publishes about its books, without the firm's word.",
    license: 'UNLICENSED',
    type: 'module',
    engines: { node: '>=20' },
    bin: { 'probity-verifier': 'verifier/verify.mjs', 'probity-witness': 'verifier/witness.mjs' },
  }
  return `${JSON.stringify(described, null, 2)}\n`
}
