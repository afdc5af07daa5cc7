import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ownerUrlOf } from '#server/config.ts'
import type { Services } from '#server/context.ts'
import { embeddedUrl } from '#server/embedded/embedded.ts'
import { queueAfterEpoch } from '#server/jobs/after-epoch.ts'
import { LimitedClient } from '#server/platform/database/limited-client.ts'
import { clientConfig } from '#server/platform/database/pool.ts'
import { EXIT_CONFIG, EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'
import { addAuditorsCosignature } from '#server/proof/auditor.ts'
import { publishToBucket } from '#server/proof/bucket.ts'
import { publishBooks } from '#server/proof/epochs.ts'
import { publishTo } from '#server/proof/folder.ts'
import { adviceOn, ForkedLog } from '#server/proof/forked-log.ts'
import { listKeys, NoRotation, proofKeyPurposes, rotateKey, rotationReasons } from '#server/proof/rotation.ts'
import { Invalid } from '#verifier/errors.mjs'
import { installation, onInstallation } from './installation.ts'

const USAGE =
  'npm run proof [-- --to <folder> | -- --to-bucket | -- --cosignature <file> | -- --keys | -- --rotate log|receipts [--because lost|stolen]]'

/**
 * npm run proof: ends the open epoch of the public proof now. With `--to <folder>`: writes all published files into a folder
 * that any web server can serve; with `--to-bucket`, into the configured bucket; with `--cosignature`, adds what the auditor's
 * verifier printed. `--keys` lists the keys that sign, and `--rotate` replaces one (docs/operate.md). Exits with 1 if nothing may be signed; the reason is in the log.
 */
async function main(): Promise<void> {
  const { to, 'to-bucket': toBucket, cosignature, keys, rotate, because } = given()
  await onInstallation(installation({ makesSecret: true }), async services => {
    if (keys) return console.log(await listKeys(services.pool))
    if (rotate !== undefined) return await rotated(services, rotate, because)
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
    await endEpoch(services)
  })
}

async function endEpoch(services: Services): Promise<void> {
  const epochs = await publishBooks(services, { closeNow: true })
  if (epochs !== null && epochs > 0) await queueAfterEpoch(services.db)
  if (epochs === null) process.exitCode = EXIT_FAILURE
  else console.log(epochs === 0 ? 'The books are empty' : `Epochs ended: ${epochs}`)
}

/** As the database's owner, since the application may not replace keys. */
async function rotated(services: Services, rotate: string, because: string): Promise<void> {
  const purpose = proofKeyPurposes.find(known => known === rotate)
  const reason = rotationReasons.find(known => known === because)
  if (purpose === undefined || reason === undefined) throw new StartupError(`Usage: ${USAGE}`, EXIT_CONFIG)
  const url = ownerUrlOf(process.env, services.config) ?? embeddedUrl(services.config.dataDir, 'owner')
  const owner = new LimitedClient(clientConfig({ url, as: 'owner', name: 'probity rotate' }))
  await owner.connect()
  const vkey = await rotateKey(services, owner, { purpose, reason })
    .catch((error: Error) => {
      throw error instanceof NoRotation
        ? new StartupError(`Not replaced: ${error.message}`, EXIT_FAILURE)
        : error
    })
    .finally(() => owner.end())
  console.log(`The new key, from the epoch on that ends now: ${vkey}`)
  await endEpoch(services)
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
        keys: { type: 'boolean', default: false },
        rotate: { type: 'string' },
        because: { type: 'string', default: 'planned' },
      },
    }).values
  } catch {
    throw new StartupError(`Usage: ${USAGE}`, EXIT_CONFIG)
  }
}

await main().catch(reportEnd)
