import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react'
import { t, translate } from '#shared/i18n/t.ts'
import { cx } from '#web/ui/cx.ts'
import type { ListColumn } from './columns.ts'
import type { SortOption } from './list-filter.ts'

/** The sort key, with '-' for descending; empty for the default order. */
export type Sort = { by: string; onSort: (by: string) => void }

/** Makes headers of sortable columns. */
export function sortHeaders(sort: Sort) {
  return ({ header, sort: key }: ListColumn<never>) => {
    if (key === undefined) return { content: undefined }
    const sorted = sort.by === key.key ? 'ascending' : sort.by === `-${key.key}` ? 'descending' : 'none'
    const press = () => sort.onSort(nextSort(key, sort.by))
    return { sorted, content: <Header name={translate(header)} sorted={sorted} onPress={press} /> } as const
  }
}

type HeaderProps = { name: string; sorted: 'ascending' | 'descending' | 'none'; onPress: () => void }
const arrows = { ascending: ArrowUp, descending: ArrowDown, none: ArrowUpDown }

/** A button over the name; in the list layout only the name shows (styles/table.css). */
function Header({ name, sorted, onPress }: HeaderProps) {
  const Arrow = arrows[sorted]
  return (
    <span className="relative inline-flex min-h-6 items-center gap-1 hover:text-ink">
      {name}
      <Arrow aria-hidden="true" className={cx('size-3.5 shrink-0', sorted === 'none' && 'opacity-40')} />
      <button
        type="button"
        aria-label={name}
        className="absolute -inset-x-1.5 inset-y-0 rounded-sm"
        onClick={onPress}
      />
    </span>
  )
}

/** Cycles through one direction, the other, and the default order. */
function nextSort({ key, descendingFirst }: NonNullable<ListColumn<never>['sort']>, by: string): string {
  const ways = descendingFirst ? [`-${key}`, key] : [key, `-${key}`]
  return ways[ways.indexOf(by) + 1] ?? ''
}

/** Caption with the sort order: 'Deposits, newest first', 'Deposits, Amount, largest first'. */
export function captionOf(title: string, sort: string, sorts: readonly SortOption[]): string {
  const way = sorts.find(({ key }) => key === sort.replace(/^-/, ''))
  if (way === undefined) return t('{list}, newest first', { list: title })
  const order = sort.startsWith('-') ? way.descending : way.ascending
  return t('{list}, {order}', { list: title, order })
}
