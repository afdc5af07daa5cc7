/** Executions of a statement before it gets a name, so that rare ones take no memory of the database. */
const NAMED_AFTER = 5
/** Named statements of a process: each connection keeps the plans of all that it has executed. */
const MOST_NAMED = 250
/** Texts that are counted at a time. */
const MOST_COUNTED = 2_000
/** In characters. */
const LONGEST = 5_000

/** Lists of values: their text differs with their length, so each text is rare. */
const isList = /\bin \(\$\d+, |\), \(/

/**
 * Names of frequent statements. The database parses and plans a named statement once a connection, instead of at each
 * execution.
 */
export class StatementNames {
  readonly #counts = new Map<string, number>()
  readonly #names = new Map<string, string>()
  /** All names ever given: a name is never used for two texts. */
  #given = 0
  #areAllowed: boolean

  /** @param areAllowed false while it is not known whether the pooler supports them */
  constructor(areAllowed = true) {
    this.#areAllowed = areAllowed
  }

  get areAllowed(): boolean {
    return this.#areAllowed
  }

  allow(): void {
    this.#areAllowed = true
  }

  /** @returns undefined for a statement that is sent without a name */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size >= MOST_NAMED) return name
    if (text.length > LONGEST || isList.test(text)) return undefined
    const count = (this.#counts.get(text) ?? 0) + 1
    if (count >= NAMED_AFTER) return this.#give(text)
    if (this.#counts.size >= MOST_COUNTED) this.#counts.clear()
    this.#counts.set(text, count)
    return undefined
  }

  #give(text: string): string {
    this.#counts.delete(text)
    this.#given += 1
    const name = `s${this.#given}`
    this.#names.set(text, name)
    return name
  }

  /** Gives new names from now on: a migration has changed what the named statements return. */
  forget(): void {
    this.#names.clear()
  }
}

/** True if a migration has changed the result of a named statement; its transaction can run again after `forget`. */
export function isOutdatedPlan(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  // The message is in the server's language, the routine's name is not.
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}
