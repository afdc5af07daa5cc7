import type { CallData } from '#shared/contract/define.ts'
import { proofOpening } from '#shared/contract/proof.ts'
import { proofStatus } from '#shared/contract/proof-status.ts'
import { mayCall } from '#web/admin/rights.ts'
import { useDownload } from '#web/api/download.ts'
import { useRead } from '#web/api/read.ts'
import { Day, When } from '#web/components/when.tsx'
import { pageMeta } from '#web/meta.ts'
import { paths } from '#web/paths.ts'
import { Button } from '#web/ui/button.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { Problems } from './problems.tsx'
import { Auditors, Copies, TimeStamps, Witnesses } from './tables.tsx'

export const meta = pageMeta('Public proof')

/** Polling interval in milliseconds; a worker writes the log every minute. */
const everyMs = 30_000

type Status = CallData<typeof proofStatus>

/** How publishing the books goes, and what to do if it does not. */
export default function PublicProofPage() {
  const { data, isError, refetch } = useRead(proofStatus, {}, { every: everyMs })
  return (
    <>
      <PageHead
        title="Public proof"
        lead="We publish our books, so that anyone can check them. Here you see who has signed and dated what we published, and what needs your attention."
        aside={mayCall(proofOpening) && <Opening isThere={!!data?.newest} />}
      />
      {!data && !isError && <Loading label="Loading the public proof" lines={8} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>The public proof could not be loaded.</FailedState>
      )}
      {data && (
        <div className="grid grid-cols-1 gap-12">
          {data.problems.length > 0 && <Problems problems={data.problems} />}
          <Section
            title="Newest epoch"
            aside={
              <a className="prose-link" href={paths.proof}>
                What visitors see
              </a>
            }
          >
            <Newest {...data} />
          </Section>
          <Section title="Witnesses">
            <Witnesses witnesses={data.witnesses} />
          </Section>
          <Section title="Auditor">
            <Auditors auditors={data.auditors} newest={data.newest?.epoch ?? 0} />
          </Section>
          <Section title="Time stamps">
            <TimeStamps authorities={data.authorities} />
          </Section>
          <Section title="Copies">
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
          Download opening file
        </Button>
      </div>
      <p className="text-ink-faint text-xs">
        For the auditor. It shows which lines belong to the same investor: keep it confidential. We record
        each download.
      </p>
    </div>
  )
}

function Newest({ newest, nextEndsAt }: Pick<Status, 'newest' | 'nextEndsAt'>) {
  const next = nextEndsAt !== null && <When at={nextEndsAt} />
  if (newest === null)
    return (
      <EmptyState>
        Nothing is published yet.{' '}
        {next ? <>The first epoch ends on {next}.</> : 'The first epoch begins with the first transaction.'}
      </EmptyState>
    )
  return (
    <div className="max-w-3xl">
      <DescriptionList
        entries={[
          ['Epoch', newest.epoch.toLocaleString('en')],
          ['Books up to the end of (UTC)', <Day key="day" on={newest.day} />],
          ['Signed', <When key="signed" at={newest.signedAt} />],
          ['Entries', newest.size.toLocaleString('en')],
          [
            'Root',
            <code key="root" className="select-all text-sm">
              {newest.root}
            </code>,
          ],
          ['Next epoch ends', next || null],
        ]}
      />
    </div>
  )
}
