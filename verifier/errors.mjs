// @ts-check
/** What was published is wrong: the message says what, in plain words. */
export class Invalid extends Error {}

/** What was asked for could not be read, so nothing is known about it. */
export class Unavailable extends Error {}

/** It has more bytes than it may have, and was not read. */
export class TooLarge extends Unavailable {}

/** @param {unknown} error */
export function messageOf(error) {
  const { message, cause } = /** @type {{ message?: string, cause?: { message?: string } }} */ (error)
  return cause?.message ?? message ?? String(error)
}
