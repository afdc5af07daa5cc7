import { type ReactNode, useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import { type IdentityFile, returnedCheck } from '#shared/contract/identity.ts'
import { typedUsd } from '#shared/i18n/amounts.ts'
import { t } from '#shared/i18n/t.ts'
import type { CheckKind } from '#shared/identity.ts'
import { returnedDocumentDays } from '#shared/limits.ts'
import { usdFromJson } from '#shared/money.ts'
import { useRead } from '#web/api/read.ts'
import { Loading } from '#web/ui/states.tsx'
import { type Answers, draftOf } from './draft.ts'

/**
 * What a form begins with.
 * @property kept files that were sent before and go with the answers again, unless they are replaced or removed
 */
export type Begun = { answers: Answers; kept: readonly IdentityFile[] }

type Returned = CallData<typeof returnedCheck>

function answersOf({ identity, funds }: Returned): Answers {
  if (identity) return { ...identity, address: identity.address ?? '' }
  return funds ? { ...funds, yearly: typedUsd(usdFromJson(funds.yearly)!) } : {}
}

type BeginFormProps = {
  kind: CheckKind
  isReturned: boolean
  children: (begun: Begun) => ReactNode
}

/** A form that begins with what the reader typed and has not sent, or with what we returned to them. */
export function BeginForm({ kind, isReturned, children }: BeginFormProps) {
  const [draft] = useState(() => draftOf(kind))
  const [returned, begin] = useState<Returned | null | undefined>(isReturned ? undefined : null)
  // Once it has begun, the form is the reader's.
  const enabled = returned === undefined
  const { data, isError, isFetching } = useRead(returnedCheck, { query: { kind } }, { enabled, quiet: true })
  if (enabled) {
    if (!isFetching && (data || isError)) begin(data ?? null)
    return <Loading label={t('Loading what you have sent')} lines={8} />
  }
  const answers = draft ?? (returned ? answersOf(returned) : {})
  return (
    <>
      {returned && <Origin returned={returned} />}
      {children({ answers, kept: returned?.files ?? [] })}
    </>
  )
}

function Origin({ returned: { identity, funds } }: { returned: Returned }) {
  return (
    <p className="mb-6 max-w-prose text-ink-soft">
      {identity === null && funds === null
        ? t('What you sent before was deleted after {days} days. Please enter it again.', {
            days: returnedDocumentDays,
          })
        : t('The form begins with what you sent before. Correct it, and send it again.')}
    </p>
  )
}
