import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testNodes } from '#tools/nodes.ts'

/** An authority for RFC 3161 time stamps: OpenSSL behind an HTTP server. */

const CONFIGURATION = `
[ca]
default_ca = root
[root]
database = index
new_certs_dir = .
serial = serial
default_md = sha256
policy = names
[names]
commonName = supplied
[stamps]
basicConstraints = critical,CA:false
extendedKeyUsage = critical,timeStamping
[mail]
basicConstraints = critical,CA:false
extendedKeyUsage = emailProtection
[tsa]
default_tsa = authority
[authority]
serial = stamp-serial
signer_digest = sha256
default_policy = 1.3.6.1.4.1.99999.1
digests = sha256
ess_cert_id_alg = sha256
`
export const POLICY = '1.3.6.1.4.1.99999.1'

type Made = {
  name?: string
  /** Its certificate's, YYYYMMDD. */
  from?: string
  to?: string
  key?: 'ec' | 'rsa'
}

export class TimeAuthority {
  readonly #folder = mkdtempSync(join(tmpdir(), 'time-authority-'))
  /** Requests so far. */
  asked: Buffer[] = []
  /** What it answers next, in place of a stamp. */
  answer: ((query: Buffer) => { status: number; type: string; body: Buffer }) | undefined
  #server: Server | undefined

  constructor({ name = 'Test time authority', from = '20000101', to = '20990101', key = 'ec' }: Made = {}) {
    writeFileSync(join(this.#folder, 'configuration'), CONFIGURATION)
    writeFileSync(join(this.#folder, 'index'), '')
    for (const serial of ['serial', 'stamp-serial']) writeFileSync(join(this.#folder, serial), '01\n')
    const kind = key === 'ec' ? ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['rsa:2048']
    const request = ['req', '-nodes', '-newkey', ...kind]
    this.run(
      ...request,
      '-x509',
      '-days',
      '36500',
      '-subj',
      '/CN=Root',
      '-keyout',
      'root-key',
      '-out',
      'root',
    )
    this.run(...request, '-subj', `/CN=${name}`, '-keyout', 'key', '-out', 'request')
    const span = ['-startdate', `${from}000000Z`, '-enddate', `${to}000000Z`]
    const root = ['-config', 'configuration', '-cert', 'root', '-keyfile', 'root-key']
    this.run(
      'ca',
      '-batch',
      '-notext',
      ...root,
      ...span,
      '-extensions',
      'stamps',
      '-in',
      'request',
      '-out',
      'own',
    )
  }

  /** Its root certificate, as PEM. */
  get root(): string {
    return readFileSync(this.file('root'), 'utf8')
  }

  file(name: string): string {
    return join(this.#folder, name)
  }

  run(...args: string[]): string {
    return execFileSync(testNodes.openssl.find()!, args, {
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
      .toString()
      .trim()
  }

  stamp(query: Buffer): Buffer {
    writeFileSync(this.file('query'), query)
    const signer = ['-config', 'configuration', '-signer', 'own', '-inkey', 'key']
    this.run('ts', '-reply', ...signer, '-queryfile', 'query', '-out', 'reply')
    return readFileSync(this.file('reply'))
  }

  /** What `openssl ts -verify` says of a stamp. @throws Error if it refuses it */
  verify(stamp: Buffer, content: string | Buffer): string {
    writeFileSync(this.file('stamp'), stamp)
    writeFileSync(this.file('content'), content)
    return this.run('ts', '-verify', '-data', 'content', '-in', 'stamp', '-CAfile', 'root')
  }

  /** @returns the address of its HTTP server */
  async listen(): Promise<string> {
    this.#server = createServer(async (request, response) => {
      const parts = []
      for await (const part of request) parts.push(part)
      const query = Buffer.concat(parts)
      this.asked.push(query)
      const isQuery =
        request.method === 'POST' && request.headers['content-type'] === 'application/timestamp-query'
      const { status, type, body } = this.answer?.(query) ?? {
        status: isQuery ? 200 : 415,
        type: 'application/timestamp-reply',
        body: this.stamp(query),
      }
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    await new Promise<void>(resolve => this.#server!.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/tsa`
  }

  close(): void {
    this.#server?.close()
    rmSync(this.#folder, { recursive: true })
  }
}
