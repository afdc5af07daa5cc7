import type { ReactNode } from 'react'

/** Names and values, one line each; undefined and null are left out. */
export function DescriptionList({
  entries,
}: {
  entries: readonly (readonly [name: string, value: ReactNode])[]
}) {
  return (
    <dl className="grid">
      {entries
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div
            key={name}
            className="flex flex-wrap justify-between gap-x-6 gap-y-0.5 border-rule border-b py-2.5 last:border-b-0"
          >
            <dt className="text-ink-soft">{name}</dt>
            {/* At the end of the line by the direction of the page, not of the value, even on a line of its own. */}
            <dd className="wrap-anywhere ms-auto text-right rtl:text-left">
              <div dir="auto">{value}</div>
            </dd>
          </div>
        ))}
    </dl>
  )
}
