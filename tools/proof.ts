import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { sealBooks } from '#server/ledger/sealer.ts'
import { EXIT_CONFIG, EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { addAuditorsCosignature } from '#server/proof/auditor.ts'
import { publishToBucket } from '#server/proof/bucket.ts'
import { writeLog } from '#server/proof/epochs.ts'
import { publishTo } from '#server/proof/folder.ts'
import { adviceOn, ForkedLog } from '#server/proof/forked-log.ts'
import { Invalid } from '#verifier/errors.mjs'
import { installation, onInstallation } from './installation.ts'

const USAGE = 'npm run proof [-- --to <folder> | -- --to-bucket | -- --cosignature <file>]'

/**
 * npm run proof: ends the open epoch of the public proof now. With `--to <folder>`: writes all published files into a folder
 * that any web server can serve; with `--to-bucket`, into the configured bucket; with `--cosignature`, adds what the auditor's
 * verifier printed. Exits with 1 if nothing may be signed; the reason is in the log.
 */
async function main(): Promise<void> {
  const { to, 'to-bucket': toBucket, cosignature } = given()
  await onInstallation(installation({ makesSecret: true }), async services => {
    if (cosignature !== undefined) {
      const note = await readFile(cosignature, 'utf8')
      const { name, epoch } = await addAuditorsCosignature(services, note).catch(refused)
      console.log(`Published: ${name} has cosigned epoch ${epoch}`)
      return
    }
    if (to !== undefined) {
      console.log(`Written to ${to}: ${await publishTo(services.pool, resolve(to)).catch(refused)} files`)
      return
    }
    if (toBucket) {
      if (services.config.bucket === null)
        throw new StartupError('No bucket is configured: set PROOF_BUCKET_URL', EXIT_CONFIG)
      console.log(`Written to ${services.config.bucket.url}: ${await publishToBucket(services)} files`)
      return
    }
    const seals = await sealBooks(services)
    const epochs = seals === null ? null : await writeLog(services, { closeNow: true })
    if (epochs === null) process.exitCode = EXIT_FAILURE
    else console.log(epochs === 0 ? 'The books are empty' : `Epochs ended: ${epochs}`)
  })
}

/** Without a stack: it is about the file that was given. */
function refused(error: Error): never {
  if (error instanceof Invalid) throw new StartupError(`Not added: ${error.message}`, EXIT_FAILURE)
  throw error instanceof ForkedLog ? new StartupError(`Not written: ${adviceOn(error)}`, EXIT_FAILURE) : error
}

function given() {
  try {
    return parseArgs({
      options: {
        to: { type: 'string' },
        'to-bucket': { type: 'boolean', default: false },
        cosignature: { type: 'string' },
      },
    }).values
  } catch {
    throw new StartupError(`Usage: ${USAGE}`, EXIT_CONFIG)
  }
}

await main().catch(reportEnd)
