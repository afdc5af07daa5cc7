/** Why the log cannot be continued: what was published is not its beginning. */
export class ForkedLog extends Error {}

/** The reason, and where the operator reads what to do. */
export function adviceOn({ message }: ForkedLog): string {
  return `${message} (docs/operate.md, Public proof)`
}
