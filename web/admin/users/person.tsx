import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '#shared/i18n/t.ts'
import { consolePaths } from '#web/console-paths.ts'
import { cx } from '#web/ui/cx.ts'

/** Limits of names in tables: a name of one letter is still a target (WCAG 2.5.8). */
export const nameRoom = 'block min-h-6 min-w-6 max-w-48 min-[44rem]:min-w-20'

/** A link to a user. */
export function PersonLink({ id, name }: { id: string; name: string | null }) {
  return (
    <Link dir="auto" className={cx('prose-link', nameRoom)} to={consolePaths.user(id)}>
      {name ?? id}
    </Link>
  )
}

/** A record's owner, linked (N-07). */
export function OwnerLink({ row }: { row: { user: string; userName: string | null } }) {
  return <PersonLink id={row.user} name={row.userName} />
}

/** The owner's name or, if unknown, id (N-07). */
export function PersonName({ row }: { row: { user: string; userName: string | null } }) {
  if (row.userName === null) return <span className="text-ink-soft text-sm">{row.user}</span>
  return (
    <span dir="auto" className={nameRoom}>
      {row.userName}
    </span>
  )
}

/** The actor of a log entry: a name, a visitor, or the system. */
export function whoOf({ actorName, ip }: { actorName: string | null; ip: string | null }): ReactNode {
  if (actorName !== null) return <bdi>{actorName}</bdi>
  return ip === null ? t('Automatic') : t('A visitor')
}
