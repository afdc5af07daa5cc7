import type { ProofOverview } from '#shared/contract/proof.ts'
import { paths } from '#web/paths.ts'
import { utcTime } from './utc.ts'

/** Who outside the firm has dated a checkpoint, and when (RFC 3161). */
export function Dated({ log: { stamp } }: { log: Pick<NonNullable<ProofOverview['log']>, 'stamp'> }) {
  if (stamp === null) return 'No outside time authority has dated our checkpoints yet.'
  const { epoch, authority, time } = stamp
  return (
    <>
      {authority} has dated epoch {epoch.toLocaleString('en')} at {utcTime(time)}. Its{' '}
      <a className="prose-link" href={`${paths.proof}/epochs/${epoch}/stamps/${authority}.tsr`}>
        time stamp
      </a>{' '}
      shows that this log, up to that epoch, already existed then.
    </>
  )
}
