import type { ProofOverview } from '#shared/contract/proof.ts'
import { number } from '#shared/i18n/intl.ts'
import { t } from '#shared/i18n/t.ts'
import { tr } from '#web/tr.ts'
import { proofPath } from './proof-path.ts'
import { utcTime } from './utc.ts'

/** Who outside the firm has dated a checkpoint, and when (RFC 3161). */
export function Dated({ log: { stamp } }: { log: Pick<NonNullable<ProofOverview['log']>, 'stamp'> }) {
  if (stamp === null) return t('No outside time authority has dated our checkpoints yet.')
  const { epoch, authority, time } = stamp
  return (
    <>
      {tr(
        '{authority} has dated epoch {epoch} at {time}. Its <a>time stamp</a> shows that this log, up to that epoch, already existed then.',
        {
          authority,
          epoch: number(epoch),
          time: utcTime(time),
          a: words => (
            <a className="prose-link" href={`${proofPath}/epochs/${epoch}/stamps/${authority}.tsr`}>
              {words}
            </a>
          ),
        },
      )}
    </>
  )
}
