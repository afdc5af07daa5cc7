import { vi } from 'vitest'

/**
 * The parts of a browser that the pages' client uses, for tests without one: storage and `fetch`. Several imports of a
 * module over one storage are several tabs.
 */

class MemoryStorage {
  private readonly entries = new Map<string, string>()
  get length() {
    return this.entries.size
  }
  key(index: number): string | null {
    return [...this.entries.keys()][index] ?? null
  }
  getItem(key: string): string | null {
    return this.entries.get(key) ?? null
  }
  setItem(key: string, value: string) {
    this.entries.set(key, value)
  }
  removeItem(key: string) {
    this.entries.delete(key)
  }
  clear() {
    this.entries.clear()
  }
  keys(): string[] {
    return [...this.entries.keys()]
  }
}

export type SentRequest = { method: string; url: string; headers: Headers; body: unknown }
export type GivenAnswer = { status: number; body: unknown } | 'no answer'

/** The test's server. */
export type Responder = (request: SentRequest) => GivenAnswer | Promise<GivenAnswer>

/** Installs the parts; `sent` lists the requests. Undo with `vi.unstubAllGlobals()`. */
export function browser(respond: Responder) {
  const storage = new MemoryStorage()
  const sent: SentRequest[] = []
  vi.stubGlobal('localStorage', storage)
  vi.stubGlobal('sessionStorage', new MemoryStorage())
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const body = init.body === undefined ? undefined : JSON.parse(String(init.body))
    const request = { method: init.method ?? 'GET', url, headers: new Headers(init.headers), body }
    sent.push(request)
    const answer = await respond(request)
    if (answer === 'no answer') throw new TypeError('fetch failed')
    return Response.json(answer.body, { status: answer.status })
  })
  return { storage, sent }
}

/** An unsigned token that expires in `seconds` from now. */
export function tokenFor(subject: string, seconds: number, more: object = {}): string {
  const exp = Math.floor(Date.now() / 1000) + seconds
  const claims = { sub: subject, exp, jti: crypto.randomUUID(), ...more }
  return `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`
}

export function success(data: unknown, extra: object = {}): GivenAnswer {
  return { status: 200, body: { status: 'success', message: 'Done', data, ...extra } }
}

export function failure(status: number, message: string, extra: object = {}): GivenAnswer {
  return { status, body: { status: 'error', message, ...extra } }
}
