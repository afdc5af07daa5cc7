import { type SealName, sealName } from '#server/ledger/seals.ts'
import { EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'

/**
 * The seal that a command's argument names, if it has one.
 * @param read parses the arguments
 * @throws StartupError with the usage
 */
export function givenSeal(usage: string, read: () => string | undefined): SealName | undefined {
  let text: string | undefined
  try {
    text = read()
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n\n  ${usage}`, EXIT_FAILURE)
  }
  const seal = text === undefined ? undefined : sealName(text)
  if (text !== undefined && seal === undefined) {
    throw new StartupError(
      `A seal is its number and its hash, as the log has them:\n\n  ${usage}`,
      EXIT_FAILURE,
    )
  }
  return seal
}
