import { listReserves, type ReserveProof } from '#shared/contract/reserves.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { useRead } from '#web/api/read.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead, Section } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { OtherAssets } from './assets.tsx'
import { NewProof } from './new-proof.tsx'
import { Proof } from './proof.tsx'

export const meta = pageMeta(msg('Reserves'))

/** Polling interval in milliseconds: a worker reads the balances meanwhile. */
const everyMs = 5_000

/** Coins that the firm proves to control, and its other assets (decision 127). */
export default function ReservesPage() {
  const { data, isError, refetch } = useRead(listReserves, {}, { every: everyMs })
  return (
    <>
      <PageHead
        title={t('Reserves')}
        lead={t(
          'Show what we hold: coins by signatures, everything else by documents. The public proof publishes both, beside what we owe.',
        )}
      />
      {!data && !isError && <Loading label={t('Loading the reserves')} lines={8} />}
      {!data && isError && (
        <FailedState onRetry={() => void refetch()}>{t('The reserves could not be loaded.')}</FailedState>
      )}
      {data && (
        <div className="grid grid-cols-1 gap-12">
          <Section title={t('Prove what we hold')}>
            <NewProof known={data.known} />
          </Section>
          <Section title={t('Proofs')}>
            {data.proofs.length === 0 ? (
              <EmptyState>{t('We have not proved that we hold any coins yet.')}</EmptyState>
            ) : (
              <div className="grid grid-cols-1 gap-10">
                {data.proofs.map((proof: ReserveProof) => (
                  <Proof key={proof._id} proof={proof} />
                ))}
              </div>
            )}
          </Section>
          <Section title={t('Other assets')}>
            <OtherAssets documents={data.documents} />
          </Section>
        </div>
      )}
    </>
  )
}
