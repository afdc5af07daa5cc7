import { createContext, data, type RouterContextProvider } from 'react-router'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import type { AppError } from '#shared/errors.ts'
import type { WebHost } from '#shared/web.ts'

/** The web server behind the loaders and actions of the public pages: `context.get(hostContext).call(…)`. */
export const hostContext = createContext<WebHost>()

/**
 * The refusal that `call` threw, or undefined for a fault. Known by its name: the server's class is not this
 * bundle's copy of it.
 */
export function refusalOf(error: unknown): AppError | undefined {
  return error instanceof Error && error.name === 'AppError' ? (error as AppError) : undefined
}

/** Set by an action whose form comes back with what was typed: the page shows, whatever else is away (P-11). */
export const draftContext = createContext(false)

/**
 * What a loader needs from the server. While the server cannot answer (its database is away) the page has that status,
 * and the fault page stands in for it.
 */
export async function read<C extends CallDefinition>(
  context: Readonly<RouterContextProvider>,
  call: C,
  input: CallInput<C>,
): Promise<CallData<C>> {
  try {
    return await context.get(hostContext).call(call, input)
  } catch (error) {
    const refusal = refusalOf(error)
    throw refusal?.status === 503 ? data(null, { status: 503 }) : error
  }
}
