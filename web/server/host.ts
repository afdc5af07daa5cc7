import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import type { AppError } from '#shared/errors.ts'
import type { WebHost } from '#shared/web.ts'

/** The page cannot be shown; the error page replaces it with this status. */
export class PageError extends Error {
  readonly status: number
  constructor(status: number, options?: ErrorOptions) {
    super(`page error ${status}`, options)
    this.status = status
  }
}

/**
 * The refusal thrown by `call`, or undefined for an unexpected error. Recognised by name, because this bundle has its
 * own copy of the class.
 */
export function refusalOf(error: unknown): AppError | undefined {
  return error instanceof Error && error.name === 'AppError' ? (error as AppError) : undefined
}

/**
 * Reads data for a page.
 * @throws PageError 503 while the server cannot answer
 */
export async function read<C extends CallDefinition>(
  host: WebHost,
  call: C,
  input: CallInput<C>,
): Promise<CallData<C>> {
  try {
    return await host.call(call, input)
  } catch (error) {
    throw refusalOf(error)?.status === 503 ? new PageError(503, { cause: error }) : error
  }
}
