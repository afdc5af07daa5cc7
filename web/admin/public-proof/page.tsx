import type { CallData } from '#shared/contract/define.ts'
import { proofOpening } from '#shared/contract/proof.ts'
import { proofStatus } from '#shared/contract/proof-status.ts'
import { number } from '#shared/i18n/intl.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { mayCall } from '#web/admin/rights.ts'
import { useDownload } from '#web/api/download.ts'
import { useRead } from '#web/api/read.ts'
import { Day, When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { Problems } from './problems.tsx'
import { Auditors, Copies, TimeStamps, Witnesses } from './tables.tsx'

export const meta = pageMeta(msg('Public proof'))

/** Polling interval in milliseconds; a worker writes the log every minute. */
const everyMs = 30_000

type Status = CallData<typeof proofStatus>

/** How publishing the books goes, and what to do if it does not. */
export default function PublicProofPage() {
  const { data, isError, refetch } = useRead(proofStatus, {}, { every: everyMs })
  return (
    <>
      <PageHead
        title={t('Public proof')}
        lead={t(
          'We publish our books, so that anyone can check them. Here you see who has signed and dated what we published, and what needs your attention.',
        )}
        aside={mayCall(proofOpening) && <Opening isThere={!!data?.newest} />}
      />
      {!data && !isError && <Loading label={t('Loading the public proof')} lines={8} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>{t('The public proof could not be loaded.')}</FailedState>
      )}
      {data && (
        <div className="grid grid-cols-1 gap-12">
          {data.problems.length > 0 && <Problems problems={data.problems} />}
          <Section
            title={t('Newest epoch')}
            aside={
              <a className="prose-link" href={paths.proof}>
                {t('What visitors see')}
              </a>
            }
          >
            <Newest {...data} />
          </Section>
          <Section title={t('Witnesses')}>
            <Witnesses witnesses={data.witnesses} />
          </Section>
          <Section title={t('Auditor')}>
            <Auditors auditors={data.auditors} newest={data.newest?.epoch ?? 0} />
          </Section>
          <Section title={t('Time stamps')}>
            <TimeStamps authorities={data.authorities} />
          </Section>
          <Section title={t('Copies')}>
            <Copies copies={data.copies} newest={data.newest?.epoch ?? 0} />
          </Section>
        </div>
      )}
    </>
  )
}

function Opening({ isThere }: { isThere: boolean }) {
  const { run, pending } = useDownload(proofOpening)
  if (!isThere) return null
  return (
    <div className="grid max-w-80 gap-2">
      <div>
        <Button tone="quiet" busy={pending} onClick={() => void run({})}>
          {t('Download opening file')}
        </Button>
      </div>
      <p className="text-ink-faint text-xs">
        {t(
          'For the auditor. It shows which lines belong to the same investor: keep it confidential. We record each download.',
        )}
      </p>
    </div>
  )
}

function Newest({ newest, nextEndsAt }: Pick<Status, 'newest' | 'nextEndsAt'>) {
  const next = nextEndsAt !== null && <When at={nextEndsAt} />
  if (newest === null)
    return (
      <EmptyState>
        {next
          ? tr('Nothing is published yet. The first epoch ends on {when}.', { when: next })
          : t('Nothing is published yet. The first epoch begins with the first transaction.')}
      </EmptyState>
    )
  return (
    <div className="max-w-3xl">
      <DescriptionList
        entries={[
          [t('Epoch'), number(newest.epoch)],
          [t('Books up to the end of (UTC)'), <Day key="day" on={newest.day} />],
          [t('Signed', {}, 'an epoch'), <When key="signed" at={newest.signedAt} />],
          [t('Entries', {}, 'of the log'), number(newest.size)],
          [
            t('Root'),
            <code key="root" dir="ltr" className="select-all text-sm">
              {newest.root}
            </code>,
          ],
          [t('Next epoch ends'), next || null],
        ]}
      />
    </div>
  )
}
