import type { ComponentProps, ReactNode } from 'react'
import { type Action, Actions } from '#web/admin/actions/actions.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { focusHome } from '#web/ui/focus-home.ts'

type EntryProps = {
  name: string
  badge: readonly [Tone, string]
  /** Beside the badge. */
  mark?: ReactNode
  actions: readonly Action[]
  /** What staff should do about it. */
  notice?: ReactNode
  entries: ComponentProps<typeof DescriptionList>['entries']
}

/** An API key or a webhook of the list. */
export function Entry({ name, badge: [tone, words], mark, actions, notice, entries }: EntryProps) {
  return (
    <li
      {...focusHome}
      className="grid gap-3 border-rule border-t py-5 outline-none first:border-t-0 first:pt-0"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <span className="flex flex-wrap items-center gap-3">
          <h3 dir="auto" className="font-medium wrap-anywhere">
            {name}
          </h3>
          <Badge tone={tone}>{words}</Badge>
          {mark}
        </span>
        <Actions actions={actions} none={null} />
      </div>
      {notice && <p className="max-w-2xl rounded-sm bg-wait-soft px-4 py-3 text-sm">{notice}</p>}
      <DescriptionList entries={entries} />
    </li>
  )
}
