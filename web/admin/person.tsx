/** Room for a name in a table: one long word takes it from no other column, and is not squeezed by them either. */
export const nameRoom = 'block max-w-48 min-[44rem]:min-w-20'

/** Whose a record is: the user's name where the user is known, else the id (N-07). */
export function PersonName({ row }: { row: { user: string; userName: string | null } }) {
  if (row.userName === null) return <span className="text-ink-soft text-sm">{row.user}</span>
  return <span className={nameRoom}>{row.userName}</span>
}
