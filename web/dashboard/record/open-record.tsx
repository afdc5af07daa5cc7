import { lazy, Suspense } from 'react'
import { useLocation } from 'react-router'
import { go } from '#web/go.ts'
import { useSearch } from '#web/search.ts'
import { recordOf, withRecord } from './address.ts'
import type { OpenedHere } from './link.tsx'

export const loadRecordDialog = () => import('./record-dialog.tsx')
const RecordDialog = lazy(loadRecordDialog)

/** The record named by the address, over any page of the dashboard. */
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

/** A visitor who followed a link had no focus here before. */
const content = () => document.getElementById('content') ?? undefined
