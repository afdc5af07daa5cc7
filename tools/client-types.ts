import { spawnSync } from 'node:child_process'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openApiDocument } from '#server/http/openapi.ts'
import ts from './typescript-api.ts'

/** Where the types of the contract are kept for the client's package. */
export const CLIENT_TYPES = join(import.meta.dirname, '../clients/typescript/src/contract.ts')
const BIOME = join(import.meta.dirname, '../node_modules/.bin/biome')

// TypeScript 7 has no API that makes code, so the generator gets that of an older one.
const api = pathToFileURL(join(import.meta.dirname, 'typescript-api.ts')).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' && context.parentURL?.includes('/node_modules/openapi-typescript/')
      ? { url: api, shortCircuit: true }
      : next(specifier, context),
})

type Operation = { security?: { apiKey?: unknown }[]; responses: Record<string, unknown> }
type Document = { paths: Record<string, Record<string, Operation>> }

/** The calls that API keys can make, as types: the text of `clients/typescript/src/contract.ts`. */
export async function clientTypes(document = openApiDocument() as unknown as Document): Promise<string> {
  const { default: generate, astToString } = await import('openapi-typescript')
  const nodes = await generate(JSON.parse(JSON.stringify({ ...document, paths: pathsOfKeys(document) })), {
    alphabetize: true,
    // A type of its own, so that only dollars become cents (money.ts).
    transform: schema =>
      schema.format === 'usd' ? (ts.factory.createTypeReferenceNode('Usd') as never) : undefined,
  })
  return formatted(header + astToString(nodes))
}

const header = `/** Made from the OpenAPI document by \`npm run clients\`: shared/contract/ decides. */
import type { Usd } from './money.ts'
`

/** All other answers are refusals, \`Failure\`. */
function pathsOfKeys({ paths }: Document): Document['paths'] {
  const gets = Object.entries(paths).flatMap(([path, { get }]) =>
    get?.security?.some(({ apiKey }) => apiKey !== undefined)
      ? [[path, { get: { ...get, responses: { 200: get.responses[200] } } }]]
      : [],
  )
  return Object.fromEntries(gets)
}

function formatted(text: string): string {
  const { status, stdout, stderr } = spawnSync(BIOME, ['format', `--stdin-file-path=${CLIENT_TYPES}`], {
    input: text,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
