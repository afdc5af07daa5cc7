import { listUserHistory } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { actionWords } from '#web/admin/actions/words.ts'
import { ListBody, pageSize } from '#web/admin/tables/list-body.tsx'
import { wholeList } from '#web/admin/tables/whole-list.ts'
import { useList } from '#web/api/list.ts'
import { When } from '#web/components/when.tsx'
import { Section } from '#web/ui/section.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { whoOf } from './person.tsx'

type Entry = CallData<typeof listUserHistory>[number]

const columns: readonly Column<Entry>[] = [
  { header: msg('When'), cell: entry => <When at={entry.at} /> },
  { header: msg('Who'), cell: whoOf },
  { header: msg('What'), cell: entry => <span className="font-medium">{actionWords(entry.action)}</span> },
  { header: msg('Why'), cell: entry => <bdi>{entry.reason ?? '—'}</bdi> },
  { header: msg('From'), cell: entry => <bdi>{entry.ip ?? '—'}</bdi> },
]

/** Audit log entries about an account, its sessions, passkeys and addresses. */
export function History({ id }: { id: string }) {
  const list = useList(listUserHistory, { user: id, limit: pageSize })
  return (
    <Section title={t('Account history')} className="lg:col-span-2">
      <ListBody
        of={t('entries', {}, 'of the audit log')}
        list={list}
        filter={wholeList}
        empty={t('No entries yet')}
      >
        {rows => (
          <Table
            caption={t('Audit log entries for this account, newest first')}
            columns={columns}
            rows={rows}
            keyOf={entry => entry._id}
          />
        )}
      </ListBody>
    </Section>
  )
}
