import { createContext } from 'react-router'
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
