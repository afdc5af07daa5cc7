/** Why the log cannot be continued: what was published is not its beginning. */
export class ForkedLog extends Error {}

/** This machine has published a log of another key: the database was restored to before its first epoch, or is another's. */
export class OtherLog extends ForkedLog {
  constructor(vkey: string) {
    super(`this machine has published the log of the key ${vkey}, which the database does not know`)
  }
}

/** The reason, and where the operator reads what to do. */
export function adviceOn({ message }: Error): string {
  return `${message} (docs/operate.md, Public proof)`
}
