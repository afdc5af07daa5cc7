import { AccountKeyError, parseAccountKey } from '#server/rails/hd.ts'

/** The message for an invalid account key; 'taken' if it is valid. */
export function answerTo(text: string): string {
  try {
    parseAccountKey(text)
    return 'taken'
  } catch (error) {
    if (error instanceof AccountKeyError) return error.message
    throw error
  }
}
export const privateKey = 'is a private key. This server must never have one; move its funds at once'
export const wholeWallet = 'is the key of a whole wallet: export that of one account (such as 84h/0h/0h)'
export const oneBranch = 'is the key of one branch or address: export that of the account above it'
