import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import type { CallData, CallDefinition, CallInput } from '#shared/contract/define.ts'
import { t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { paths } from '#web/paths.ts'
import { focusHome } from '#web/ui/focus-home.ts'
import { PageHead } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { useFocusOnAnchor } from './anchor.ts'

type OneCall = CallDefinition & { params: NonNullable<CallDefinition['params']> }

type DetailPageProps<C extends OneCall> = {
  /** Reads the record by the id in the address. */
  call: C
  title: string
  /** What it is, in the reader's language: t('investment'). */
  of: string
  /** How to find another: 'Pick an investment from the console.' */
  elsewhere: string
  children: (record: CallData<C>) => ReactNode
}

/** After loading, a link may lead to a part of it. */
function Shown({ children }: { children: ReactNode }) {
  useFocusOnAnchor()
  return (
    <div {...focusHome} className="outline-none">
      {children}
    </div>
  )
}

/** The page of one record, `?id=`, in each of its states. */
export function DetailPage<C extends OneCall>({ call, title, of, elsewhere, children }: DetailPageProps<C>) {
  const [params] = useSearchParams()
  const id = params.get('id') ?? ''
  const input = { params: { id } } as unknown as CallInput<C>
  const { data, isError, refetch } = useRead(call, input, { enabled: id !== '' })
  if (data !== undefined) return <Shown>{children(data)}</Shown>
  return (
    <>
      <PageHead title={title} />
      {id === '' && (
        <EmptyState action={<LinkButton to={paths.admin.home}>{t('Back to the console')}</LinkButton>}>
          {t('This link names no {record}. {elsewhere}', { record: of, elsewhere })}
        </EmptyState>
      )}
      {id !== '' && isError && (
        <FailedState onRetry={() => void refetch()}>
          {t('This {record} could not be loaded, or it does not exist.', { record: of })}
        </FailedState>
      )}
      {id !== '' && !isError && <Loading label={t('Loading the {record}', { record: of })} lines={8} />}
    </>
  )
}
