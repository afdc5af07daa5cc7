// @ts-check
/** What was published is wrong: the message says what, in plain words. */
export class Invalid extends Error {}

/** What was asked for could not be read, so nothing is known about it. */
export class Unavailable extends Error {}
