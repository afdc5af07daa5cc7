import { type Invented, type LyingNode, openLyingNode } from './proxy.ts'

type Call = { id: unknown; method: string; params?: unknown[] }
export type Answering = (call: Call) => Promise<unknown>

/** The honest node's result; a text for a quantity. */
// biome-ignore lint/suspicious/noExplicitAny: a test's own node, whose answers are only passed on and changed.
export type Ask = (method: string, params: unknown[]) => Promise<any>

/** Prepares the answers of a lie, once it is told. */
export type Lie = (ask: Ask, invented: readonly Invented[]) => Promise<Answering>

/** A node's error, with its code. */
export class Refusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** @param honestUrl with user and password if it needs them, which the lying node does not */
export function openLyingJsonRpc<LieName extends string>(
  honestUrl: string,
  lies: Readonly<Record<LieName, Lie>>,
): Promise<LyingNode<LieName>> {
  const honest = honestNode(honestUrl)
  const ask: Ask = async (method, params) => {
    const answer = await honest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(answer)
    if (error) throw new Refusal(error.code, error.message)
    return result
  }
  const prepared = (lie: Lie) => async (invented: readonly Invented[]) => {
    const answering = await lie(ask, invented)
    return (_: string, body: string) => answered(answering, JSON.parse(body))
  }
  const all = Object.entries<Lie>(lies).map(([name, lie]) => [name, prepared(lie)])
  return openLyingNode((_, body) => honest(body), Object.fromEntries(all))
}

async function answered(answering: Answering, calls: Call | Call[]): Promise<string> {
  const one = async (call: Call) => {
    try {
      return { jsonrpc: '2.0', id: call.id, result: await answering(call) }
    } catch (error) {
      const { code = -32_000, message } = error as Partial<Refusal>
      return { jsonrpc: '2.0', id: call.id, error: { code, message } }
    }
  }
  return JSON.stringify(Array.isArray(calls) ? await Promise.all(calls.map(one)) : await one(calls))
}

function honestNode(url: string): (body: string) => Promise<string> {
  const { username, password, origin, pathname } = new URL(url)
  const headers = new Headers({ 'content-type': 'application/json' })
  if (username !== '') headers.set('authorization', `Basic ${btoa(`${username}:${password}`)}`)
  return async body => (await fetch(origin + pathname, { method: 'POST', headers, body })).text()
}
