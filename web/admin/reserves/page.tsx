import { listReserves, type ReserveProof } from '#shared/contract/reserves.ts'
import { useRead } from '#web/api/read.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { OtherAssets } from './assets.tsx'
import { NewProof } from './new-proof.tsx'
import { Proof } from './proof.tsx'

export const meta = pageMeta('Reserves')

/** Polling interval in milliseconds: a worker reads the balances meanwhile. */
const everyMs = 5_000

/** Coins that the firm proves to control, and its other assets (decision 127). */
export default function ReservesPage() {
  const { data, isError, refetch } = useRead(listReserves, {}, { every: everyMs })
  return (
    <>
      <PageHead
        title="Reserves"
        lead="Show what we hold: coins by signatures, everything else by documents. The public proof publishes both, beside what we owe."
      />
      {!data && !isError && <Loading label="Loading the reserves" lines={8} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>The reserves could not be loaded.</FailedState>
      )}
      {data && (
        <div className="grid grid-cols-1 gap-12">
          <Section title="Prove what we hold">
            <NewProof known={data.known} />
          </Section>
          <Section title="Proofs">
            {data.proofs.length === 0 ? (
              <EmptyState>We have not proved that we hold any coins yet.</EmptyState>
            ) : (
              <div className="grid grid-cols-1 gap-10">
                {data.proofs.map((proof: ReserveProof) => (
                  <Proof key={proof._id} proof={proof} />
                ))}
              </div>
            )}
          </Section>
          <Section title="Other assets">
            <OtherAssets documents={data.documents} />
          </Section>
        </div>
      )}
    </>
  )
}
