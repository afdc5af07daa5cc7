import { DatabaseError } from 'pg'

/** What comes before, between and after the hosts of `postgres://user:password@one:5432,two:5433/database?…`. */
const parts = /^([^:]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/** Values of libpq's target_session_attrs that we support. */
export const targetSessionAttrs = ['any', 'read-write']

/** The hosts of a connection string in libpq's form, in its order, each with its port: `['one:5432', 'two:5433']`. */
export function hostsOf(url: string): string[] {
  return parts.exec(url)?.[2]?.split(',') ?? ['']
}

/** The connection string with these hosts in place of its own. */
export function withHosts(url: string, hosts: readonly string[]): string {
  return url.replace(parts, (_all, before: string, _hosts, after: string) => before + hosts.join(',') + after)
}

/** A connection string for each host; each one is a URL. */
export function urlsOf(url: string): string[] {
  return hostsOf(url).map(host => withHosts(url, [host]))
}

/** True if the connection string asks for a server that accepts writes. */
export function needsWrites(url: string): boolean {
  return URL.parse(urlsOf(url)[0]!)?.searchParams.get('target_session_attrs') === 'read-write'
}

/** A connection that can be broken. */
type Breakable = { break(): void }

/** What all connections of one configuration share, so that they follow each other to the host that works. */
export class Hosts {
  #current: string | undefined
  readonly #sessions = new Map<Breakable, string>()

  /** The connection strings of all hosts in the order to try them: the last one that worked is first. */
  inOrder(url: string): string[] {
    const urls = urlsOf(url)
    const first = urls.filter(one => one === this.#current)
    return [...first, ...urls.filter(one => one !== this.#current)]
  }

  /** Called once a session is open. @param isPrimary a session on any other server is then out of date, and broken */
  opened(session: Breakable, { url, isPrimary }: { url: string; isPrimary: boolean }): void {
    this.#current = url
    this.#sessions.set(session, url)
    if (isPrimary) this.#break(other => other !== url)
  }

  closed(session: Breakable): void {
    this.#sessions.delete(session)
  }

  /** The host's server accepts no writes any more: all sessions on it end, as if it had been shut down. */
  demoted(url: string): void {
    this.#break(other => other === url)
  }

  #break(isOutdated: (url: string) => boolean): void {
    for (const [session, url] of this.#sessions) if (isOutdated(url)) session.break()
  }
}

/** SQLSTATE read_only_sql_transaction. */
export const READ_ONLY = '25006'

/** A server that was reached and accepts no writes. */
export function readOnlyServer(): Error {
  return Object.assign(new Error('The server accepts no writes'), { code: READ_ONLY })
}

/** Classes of SQLSTATE that end the search, as in libpq: a refused login, and a database that does not exist. */
const conclusive = ['28', '3D']

export function isConclusive(error: unknown): boolean {
  return error instanceof DatabaseError && conclusive.includes(error.code?.slice(0, 2) ?? '')
}

/** The error to report if no host will do: what a server said, rather than that another one is down. */
export function mostTelling(errors: readonly unknown[]): unknown {
  const isReadOnly = (error: unknown) => (error as { code?: unknown }).code === READ_ONLY
  return errors.find(error => error instanceof DatabaseError) ?? errors.find(isReadOnly) ?? errors[0]
}
