/** Whose a record is: the user's name where the user is known, else the id (N-07). */
export function PersonName({ row }: { row: { user: string; userName: string | null } }) {
  return row.userName ?? <span className="text-ink-soft text-sm">{row.user}</span>
}
