import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import type { AppError } from '#shared/errors.ts'
import type { WebHost } from '#shared/web.ts'

/** The page cannot be shown: the fault page stands in for it, with this status. */
export class PageFault extends Error {
  readonly status: number
  constructor(status: number, options?: ErrorOptions) {
    super(`page fault ${status}`, options)
    this.status = status
  }
}

/**
 * The refusal that `call` threw, or undefined for a fault. Known by its name: the server's class is not this
 * bundle's copy of it.
 */
export function refusalOf(error: unknown): AppError | undefined {
  return error instanceof Error && error.name === 'AppError' ? (error as AppError) : undefined
}

/**
 * What a page needs from the server.
 * @throws PageFault 503 while the server cannot answer (its database is away)
 */
export async function read<C extends CallDefinition>(
  host: WebHost,
  call: C,
  input: CallInput<C>,
): Promise<CallData<C>> {
  try {
    return await host.call(call, input)
  } catch (error) {
    throw refusalOf(error)?.status === 503 ? new PageFault(503, { cause: error }) : error
  }
}
