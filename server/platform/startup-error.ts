/** Exit code for an invalid configuration (sysexits.h EX_CONFIG). */
export const EXIT_CONFIG = 78
/** Exit code for anything else that prevents a start. */
export const EXIT_FAILURE = 1

/**
 * A reason not to start that the operator can act on. The entry prints `message` and exits with `exitCode`, without a
 * stack trace, because the message already says what to do.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT_FAILURE, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** A reason that passes without anybody's help: a process that serves waits for that, a command ends. */
export class PassingError extends StartupError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, EXIT_FAILURE, options)
  }
}
