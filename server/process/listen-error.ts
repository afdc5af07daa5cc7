import type { Config } from '#server/config.ts'
import { EXIT_CONFIG, EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'

/** An address to listen on, and the variables that name it. */
type ListenAddress = Pick<Config, 'host' | 'port'> & { hostName?: string; portName?: string }

/** Why an address cannot be listened on, in words. */
export function listenError(
  { host, port, hostName = 'HOST', portName = 'PORT' }: ListenAddress,
  error: unknown,
): StartupError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return new StartupError(
      `Port ${port} is in use. Stop what uses it, or set ${portName} to another one.`,
      EXIT_FAILURE,
      { cause: error },
    )
  }
  if (code === 'EACCES') {
    return new StartupError(
      `Port ${port} may not be used by this user. Set ${portName} to one above 1023.`,
      EXIT_CONFIG,
      { cause: error },
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartupError(`${hostName} ${host} is no address of this machine.`, EXIT_CONFIG, {
      cause: error,
    })
  }
  return new StartupError(`${host}:${port} cannot be listened on: ${message}`, EXIT_FAILURE, { cause: error })
}
