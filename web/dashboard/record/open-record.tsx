import { lazy, Suspense } from 'react'
import { useLocation } from 'react-router'
import { go } from '#web/go.ts'
import { useSearch } from '#web/search.ts'
import { recordOf, withRecord } from './address.ts'
import type { OpenedHere } from './link.tsx'

export const loadRecordDialog = () => import('./record-dialog.tsx')
const RecordDialog = lazy(loadRecordDialog)

/** The record that the address names, over whatever page of the dashboard it stands on. */
export function OpenRecord() {
  const [search] = useSearch()
  const { state } = useLocation()
  const record = recordOf(search)
  const openedHere = (state as OpenedHere | null)?.openedHere
  function close() {
    if (openedHere) return go(-1)
    return go({ search: `?${withRecord(search)}` }, { replace: true })
  }
  return (
    <Suspense>
      {record && <RecordDialog {...record} onClose={close} focusAfter={openedHere ? undefined : content} />}
    </Suspense>
  )
}

/** Where a page begins: who came by a link was nowhere on it before. */
const content = () => document.getElementById('content') ?? undefined
