import { type ReactNode, useId, useState } from 'react'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { ScrollRegion } from '#web/dashboard/scroll-region.tsx'
import { capital } from '#web/ui/capital.ts'
import { cx } from '#web/ui/cx.ts'
import { FailedState, Loading } from '#web/ui/states.tsx'

/** Names and heights of the charts; the height is reserved before they load. */
export const charts = {
  balance: {
    title: msg('Total funds over time'),
    of: msg('your total funds over time'),
    room: 'h-124 sm:h-104',
  },
  allocation: { title: msg('Where your money is'), of: msg('where your money is'), room: 'h-92 sm:h-104' },
  earnings: {
    title: msg('Earnings by month'),
    of: msg('your earnings by month'),
    room: 'h-88 sm:h-76',
  },
} as const

type State = 'waiting' | 'failed' | 'empty' | 'there'

/** State of a chart. `isThere`: something can be drawn; undefined while unknown. */
export function stateOf(read: {
  daysError?: string | undefined
  isError: boolean
  isThere: boolean | undefined
}): State {
  if (read.daysError !== undefined) return 'empty'
  if (read.isThere === undefined) return read.isError ? 'failed' : 'waiting'
  return read.isThere ? 'there' : 'empty'
}

type ChartFrameProps = {
  title: string
  /** What it shows: 'your total funds over time'. Like the title, named by `msg`. */
  of: string
  state: State
  /** Another period is loading. */
  isLate?: boolean
  onRetry: () => void
  /** Summary in words. */
  words: ReactNode
  /** Shown when there is nothing to draw. */
  empty: ReactNode
  /** The figures as a table; false if the table stands beside the chart without a switch. */
  table?: ReactNode
  /** Reserved height (Tailwind class). */
  room: string
  children: ReactNode
}

/** A chart with a summary and a table. Its height is reserved, so that nothing moves when it loads. */
export function ChartFrame(props: ChartFrameProps) {
  const { state, isLate, words, table, room, children } = props
  const [asTable, setAsTable] = useState(false)
  const title = translate(props.title)
  const id = useId()
  const isThere = state === 'there'
  const content =
    asTable && table ? (
      <ScrollRegion
        tall
        label={t('{chart}, table', { chart: title })}
        className="min-h-0 border-rule border-y pe-3"
      >
        {table}
      </ScrollRegion>
    ) : (
      children
    )
  return (
    <section
      aria-labelledby={id}
      aria-busy={isLate || undefined}
      className="grid grid-cols-1 content-start gap-3"
    >
      <div className="flex min-h-9 items-center justify-between gap-4">
        <h3 id={id} className="font-medium">
          {title}
        </h3>
        {table !== false && <TableSwitch on={asTable} onChange={setAsTable} isShown={isThere} />}
      </div>
      <div className={cx(room, 'relative', isLate && isThere && 'opacity-60')}>
        {isThere ? (
          <div className="grid h-full grid-cols-1 grid-rows-[auto_minmax(0,1fr)] gap-3">
            <p className="text-pretty text-ink-soft text-sm">{words}</p>
            {content}
          </div>
        ) : (
          <Instead {...props} />
        )}
      </div>
    </section>
  )
}

/** Placeholder: loading, empty or failed. */
function Instead({ of, state, onRetry, empty }: ChartFrameProps) {
  if (state === 'failed') {
    return (
      <FailedState onRetry={onRetry}>
        {capital(t('{list} could not be loaded.', { list: translate(of) }))}
      </FailedState>
    )
  }
  if (state === 'empty') {
    return (
      <div className="grid h-full content-center justify-items-center gap-4 border border-rule border-dashed px-6 text-center">
        <Bars />
        <p className="max-w-md text-ink-soft text-sm">{empty}</p>
      </div>
    )
  }
  return (
    <div className="grid h-full grid-cols-1 grid-rows-[auto_minmax(0,1fr)] gap-3">
      <Loading label={t('Loading {list}', { list: translate(of) })} lines={2} className="py-0" />
      <Blank />
    </div>
  )
}

function Blank() {
  return <div aria-hidden="true" className="h-full motion-safe:animate-pulse rounded-sm bg-sunken" />
}

export function ChartLoading({ of }: { of: keyof typeof charts }) {
  return (
    <ChartFrame {...charts[of]} state="waiting" onRetry={() => {}} words="" empty="">
      {null}
    </ChartFrame>
  )
}

export function PlotLoading() {
  return (
    <div>
      <span className="sr-only">{t('Loading the chart')}</span>
      <Blank />
    </div>
  )
}

/** The shape of a chart. */
function Bars() {
  return (
    <svg aria-hidden="true" viewBox="0 0 96 40" className="h-10 w-24 fill-none stroke-edge">
      <path d="M0 39.5h96M12 39V27M30 39V19M48 39V30M66 39V11M84 39V22" strokeDasharray="2 3" />
    </svg>
  )
}

type TableSwitchProps = {
  on: boolean
  onChange: (on: boolean) => void
  /** Keeps its space while hidden. */
  isShown: boolean
}

function TableSwitch({ on, onChange, isShown }: TableSwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      onClick={() => onChange(!on)}
      className={cx(
        !isShown && 'invisible',
        'group flex min-h-9 shrink-0 items-center gap-2 rounded-sm text-ink-soft text-sm hover:text-ink',
      )}
    >
      {t('Show as table')}
      <span
        aria-hidden="true"
        className="flex h-4.5 w-8 items-center rounded-full border border-edge bg-surface px-0.5 group-aria-checked:justify-end group-aria-checked:border-accent group-aria-checked:bg-accent"
      >
        <span className="size-3 rounded-full bg-edge group-aria-checked:bg-on-accent" />
      </span>
    </button>
  )
}
