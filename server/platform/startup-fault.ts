/** Exit code for a configuration that cannot work (sysexits.h EX_CONFIG). */
export const EXIT_CONFIG = 78
/** Exit code for anything else that stops a start. */
export const EXIT_FAILURE = 1

/**
 * A start that cannot go on for a reason the operator can act on. The entry prints `message` and exits with
 * `exitCode`; it prints no stack trace, because the message already says what to do.
 */
export class StartupFault extends Error {
  override readonly name = 'StartupFault'
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT_FAILURE, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
