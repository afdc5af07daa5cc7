import { randomUUID } from 'node:crypto'
import { addressOf } from '#shared/call-address.ts'
import type { CallData, CallDefinition, CallInput, Failure, Page, Success } from '#shared/contract/define.ts'
import { requestBytes } from './load.ts'
import type { Server } from './servers.ts'

type Input = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: object }

/** A call of the contract as bytes; calls that move money get a fresh Idempotency-Key. */
export function requestOf<C extends CallDefinition>(token: string, call: C, input: CallInput<C>): Buffer {
  const { body, ...rest } = input as Input
  return requestBytes(call.method, addressOf(call, rest), headersOf(token, call), body)
}

/**
 * Makes a call, unmeasured.
 * @throws Error if it is refused
 */
export async function make<C extends CallDefinition>(
  { port }: Server,
  token: string | null,
  call: C,
  input: CallInput<C>,
): Promise<{ data: CallData<C>; page: Page | undefined }> {
  const { body, ...rest } = input as Input
  const response = await fetch(`http://127.0.0.1:${port}${addressOf(call, rest)}`, {
    method: call.method,
    headers: { ...headersOf(token, call), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer = (await response.json()) as Success<CallData<C>> | Failure
  if (answer.status === 'error') throw new Error(`${call.id} was refused: ${answer.message}`)
  return { data: answer.data, page: answer.page }
}

function headersOf(token: string | null, call: CallDefinition): Record<string, string> {
  return {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(call.money ? { 'idempotency-key': randomUUID() } : {}),
  }
}
