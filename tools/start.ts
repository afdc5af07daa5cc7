import { pathToFileURL } from 'node:url'
import { reportEnd } from '#server/process/lifetime.ts'
import { createProgress } from './console.ts'
import { buildProduct, isBuildStale, START } from './product-build.ts'

/** npm start: builds what was made from other sources, then runs the build. */
async function main(): Promise<void> {
  if (isBuildStale()) await build()
  await import(pathToFileURL(START).href)
}

async function build(): Promise<void> {
  // Loaded for a build alone: the build has its own.
  const { environment, loadConfig } = await import('#server/config.ts')
  const { requireFreePort } = await import('./required-port.ts')
  const progress = createProgress()
  await requireFreePort(loadConfig(environment()))
  await progress.step('Building the product', 'Product built', () => buildProduct(progress.say))
}

await main().catch(reportEnd)
