import { Link } from 'react-router'
import { paths } from '#web/paths.ts'
import { cx } from '#web/ui/cx.ts'

/** Room for a name in a table: one long word takes it from no other column, and is not squeezed by them either. */
export const nameRoom = 'block max-w-48 min-[44rem]:min-w-20'

/** The way to somebody's page. */
export function PersonLink({ id, name }: { id: string; name: string | null }) {
  return (
    <Link className={cx('prose-link', nameRoom)} to={paths.admin.user(id)}>
      {name ?? id}
    </Link>
  )
}

/** Whose a record is, in a table: the way to his page (N-07). */
export function OwnerLink({ row }: { row: { user: string; userName: string | null } }) {
  return <PersonLink id={row.user} name={row.userName} />
}

/** Whose a record is: the user's name where the user is known, else the id (N-07). */
export function PersonName({ row }: { row: { user: string; userName: string | null } }) {
  if (row.userName === null) return <span className="text-ink-soft text-sm">{row.user}</span>
  return <span className={nameRoom}>{row.userName}</span>
}

/** Who did something, where that is written in the log: an account by its name, a visitor, or nobody. */
export function whoOf({ actorName, ip }: { actorName: string | null; ip: string | null }): string {
  return actorName ?? (ip === null ? 'Automatic' : 'A visitor')
}
