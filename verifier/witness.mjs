#!/usr/bin/env node
// @ts-check
import { mkdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect, createServer as createSocket } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Invalid, messageOf } from './errors.mjs'
import { nodeHashes } from './node-hashes.mjs'
import { LOG_KEY, parseVerifierKey } from './note.mjs'
import { signerIn } from './witness-key.mjs'
import { WitnessedLogs } from './witness-log.mjs'

/** A witness that anybody can run (C2SP tlog-witness): see README.md beside this file. */

const USAGE = `Cosigns the checkpoints of logs that only grow (C2SP tlog-witness).

  node witness.mjs --name <example.org/witness> --log <vkey> [options]

  --name <name>      the witness's name, on its first run: an address of yours without https://
  --log <vkey>       a log that it accepts; may be given several times
  --logs <file>      the same from a file, one key a line; a policy's "log" lines will do
  --state <folder>   its key and the checkpoints that it has cosigned (~/.local/state/probity-witness)
  --key <file>       its key, made on the first run (<state>/key)
  --host <address>   where it listens (127.0.0.1)
  --port <number>    (7380)
`

const OPTIONS = /** @type {const} */ ({
  name: { type: 'string' },
  log: { type: 'string', multiple: true },
  logs: { type: 'string' },
  state: { type: 'string' },
  key: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '7380' },
  help: { type: 'boolean', short: 'h', default: false },
})

const MOST_BODY_BYTES = 65_536
const REQUEST_MS = 15_000
const MOST_CONNECTIONS = 200
/** Of the path of a socket, on every system. */
const MOST_SOCKET_BYTES = 103

/** @typedef {{ name?: string, log?: string[], logs?: string, state?: string, key?: string, host: string, port: string }} Options */

/** @param {Options} options */
async function start(options) {
  const folder = options.state ?? join(homedir(), '.local/state/probity-witness')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const logs = await acceptedLogs(options)
  const signer = await signerIn(options.key ?? join(folder, 'key'), options.name)
  const unlock = await lock(folder)
  const witnessed = new WitnessedLogs({ folder, logs, signer })
  // A witness that cannot read what it has cosigned must not begin anew.
  for (const origin of witnessed.origins) await witnessed.newest(origin)
  const server = serverOf(witnessed, signer.vkey)
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(options.port), options.host, () => resolve(undefined))
  })
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const address = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`
  print(
    `${signer.name} listens at ${address}\n\nIts key:\n  ${signer.vkey}\n\n${policyFor(signer, options.host, address)}\n\nIt accepts:\n${witnessed.origins.map(origin => `  ${origin}`).join('\n')}`,
  )
  for (const event of ['SIGINT', 'SIGTERM']) {
    process.once(event, () => {
      server.close(unlock)
      server.closeIdleConnections()
    })
  }
}

/**
 * A whole policy for the firm, which names this witness alone.
 * @param {import('./witness-key.mjs').Signer} signer
 * @param {string} host
 * @param {string} address
 */
function policyFor({ name, vkey }, host, address) {
  // Plain HTTP is for a trial on this machine; a witness's name is its address (C2SP tlog-witness).
  const reached = /^(?:localhost|127\.[\d.]+|::1)$/.test(host) ? address : `https://${name}`
  return `The firm puts these lines into a file, for example witness-policy.txt:
  witness example ${vkey} ${reached}
  quorum example
and sets PROOF_WITNESS_POLICY=/path/to/witness-policy.txt for each of its processes. "example" is any name, the same in both
lines. In place of ${reached}, enter the address at which the firm reaches this witness: https://, unless both are on one machine.`
}

/**
 * @param {Options} options
 * @throws {Invalid}
 */
async function acceptedLogs({ log = [], logs }) {
  const lines = logs === undefined ? [] : (await readFile(logs, 'utf8')).split('\n').map(line => line.trim())
  const named = lines.filter(line => line !== '' && !/^(?:#|witness\s|group\s|quorum\s)/.test(line))
  const vkeys = [...log, ...named.map(line => line.replace(/^log\s+/, '').replace(/\s.*$/, ''))]
  const keys = vkeys.map(vkey => parseVerifierKey(vkey, nodeHashes))
  const wrong = keys.find(({ type }) => type !== LOG_KEY)
  if (wrong !== undefined) throw new Invalid(`the key of ${wrong.name} is not one of a log`)
  if (keys.length === 0)
    throw new Invalid('it needs a log: --log <vkey>, which a firm publishes at /proof/vkey')
  return keys
}

/**
 * One process for a folder, told by a socket that it listens on: numbers of processes differ between containers.
 * @param {string} folder
 * @returns {Promise<() => void>} to give it up
 */
async function lock(folder) {
  const file = join(folder, 'lock')
  if (Buffer.byteLength(file) > MOST_SOCKET_BYTES)
    throw new Error(`the path ${file} has more than ${MOST_SOCKET_BYTES} bytes`)
  if (await isListening(file)) throw new Error(`another witness uses ${folder}`)
  // Of a process that was killed. Should two remove it at once, WitnessedLogs still keeps one history.
  await rm(file, { force: true })
  const server = createSocket(socket => socket.destroy()).unref()
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(file, () => resolve(undefined))
  })
  return () => void server.close()
}

/**
 * @param {string} file of a socket
 * @returns {Promise<boolean>}
 * @throws {Error} if that cannot be told
 */
async function isListening(file) {
  return await new Promise((resolve, reject) => {
    const socket = connect(file)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(false)
      else reject(error)
    })
  })
}

/**
 * @param {WitnessedLogs} witnessed
 * @param {string} vkey
 */
function serverOf(witnessed, vkey) {
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    async (request, response) => {
      /** @type {import('./witness-log.mjs').Answer} */
      let answer = { status: 500, body: 'the witness could not keep the checkpoint\n' }
      try {
        answer = await answerTo(request, witnessed, vkey)
      } catch (error) {
        print(`${new Date().toISOString()} ${messageOf(error)}`)
      }
      if (!request.complete) response.setHeader('connection', 'close')
      response.writeHead(answer.status, { 'content-type': answer.type ?? 'text/plain; charset=utf-8' })
      response.end(answer.body)
    },
  )
  server.maxConnections = MOST_CONNECTIONS
  return server
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {WitnessedLogs} witnessed
 * @param {string} vkey
 * @returns {Promise<import('./witness-log.mjs').Answer>}
 */
async function answerTo(request, witnessed, vkey) {
  const path = (request.url ?? '').split('?')[0]
  if (path === '/' && request.method === 'GET') return { status: 200, body: `${vkey}\n` }
  // Not in tlog-witness yet: what it has cosigned, so that people can compare it with what they are shown.
  const origin = witnessed.origins.find(known => path === `/${encodeURIComponent(known)}/checkpoint`)
  if (origin !== undefined && request.method === 'GET') {
    const newest = await witnessed.newest(origin)
    return newest === null
      ? { status: 404, body: 'none was cosigned yet\n' }
      : { status: 200, body: newest.note }
  }
  if (path !== '/add-checkpoint') return { status: 404, body: 'there is only /add-checkpoint\n' }
  if (request.method !== 'POST') return { status: 405, body: 'POST is needed\n' }
  const body = await bodyOf(request)
  if (body === null) return { status: 413, body: `more than ${MOST_BODY_BYTES} bytes\n` }
  const now = new Date()
  const answer = await witnessed.add(body, now)
  print(`${now.toISOString()} add-checkpoint ${answer.status}`)
  return answer
}

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const parts = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > MOST_BODY_BYTES) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** @param {string} text much of it may be a stranger's */
function print(text) {
  process.stdout.write(`${text.replace(/[^\P{C}\n]/gu, '\ufffd')}\n`)
}

async function main() {
  let options
  try {
    options = parseArgs({ options: OPTIONS }).values
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}`)
    return 2
  }
  if (options.help) {
    process.stdout.write(USAGE)
    return 0
  }
  try {
    await start(options)
    return 0
  } catch (error) {
    process.stderr.write(`The witness could not start: ${messageOf(error)}.\n`)
    return 2
  }
}

process.exitCode = await main()
