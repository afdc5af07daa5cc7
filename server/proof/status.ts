import type { Services } from '#server/context.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { proofStatus } from '#shared/contract/proof-status.ts'
import { dayEnded } from './log.ts'
import type { ProofPart } from './problems.ts'
import { isTooOld } from './reserves/message.ts'

/** An epoch that is not signed this long after its end is a problem: usually no worker runs. */
const LATE_MS = 3_600_000

type Status = CallData<typeof proofStatus>
type Newest = { number: bigint; size: bigint; root: Buffer; ended_at: Date; closed_at: Date }
type Reached = { epoch: bigint; at: Date; missing_since: Date | null }
type Problems = ReadonlyMap<ProofPart, { problem: string; since: Date }>

/** What staff see of the public proof: who has got, cosigned and dated its newest epoch, and what does not work. */
export async function statusOf(services: Services): Promise<Status> {
  const { pool } = services
  const { rows } = await pool.query<Newest>(
    'SELECT number, size, root, ended_at, closed_at FROM ledger.epochs ORDER BY number DESC LIMIT 1',
  )
  const { rows: progress } = await pool.query<{ ends: Date | null }>(
    'SELECT epoch_ends AS ends FROM ledger.log_progress',
  )
  const [newest] = rows
  const ends = progress[0]?.ends ?? null
  const known = await problemsOf(pool)
  return {
    nextEndsAt: ends?.toISOString() ?? null,
    newest: newest === undefined ? null : shownEpoch(newest),
    witnesses: await witnessesOf(services),
    auditors: await auditorsOf(services),
    authorities: await authoritiesOf(services, known),
    copies: await copiesOf(services, known),
    problems: [
      ...signingProblems(services, ends, known),
      ...(newest === undefined ? [] : await unsealedReserves(pool, newest)),
    ],
  }
}

function shownEpoch({ number, size, root, ended_at, closed_at }: Newest): Status['newest'] {
  return {
    epoch: Number(number),
    day: dayEnded(ended_at),
    signedAt: closed_at.toISOString(),
    size: Number(size),
    root: root.toString('base64'),
  }
}

async function problemsOf(pool: Services['pool']): Promise<Problems> {
  const { rows } = await pool.query<{ part: ProofPart; problem: string; since: Date }>(
    'SELECT part, problem, since FROM app.proof_problems',
  )
  return new Map(rows.map(({ part, ...problem }) => [part, problem]))
}

/** The newest epoch of a row `epoch` and when the first one was signed that it lacks. */
const MISSING_SINCE = '(SELECT closed_at FROM ledger.epochs WHERE number = r.epoch + 1) AS missing_since'

const reached = (row: Reached | undefined) =>
  row === undefined ? null : { epoch: Number(row.epoch), at: row.at.toISOString() }

async function cosignedBy(pool: Services['pool'], kind: 'witness' | 'auditor') {
  const { rows } = await pool.query<Reached & { vkey: string }>(
    `SELECT r.*, ${MISSING_SINCE}
       FROM (SELECT DISTINCT ON (vkey) vkey, epoch, cosigned_at AS at FROM ledger.cosignatures
              WHERE kind = $1 ORDER BY vkey, epoch DESC) r`,
    [kind],
  )
  return new Map(rows.map(row => [row.vkey, row]))
}

async function witnessesOf({ pool, config }: Services): Promise<Status['witnesses']> {
  const cosigned = await cosignedBy(pool, 'witness')
  const { rows } = await pool.query<{ vkey: string; state: Answered; problem: string | null }>(
    'SELECT vkey, state, problem FROM app.witnesses',
  )
  const answers = new Map(rows.map(row => [row.vkey, row]))
  return [...(config.witnesses?.policy.witnesses.values() ?? [])].map(({ name, vkey }) => {
    const row = cosigned.get(vkey)
    const answer = answers.get(vkey)
    const isComplete = row !== undefined && row.missing_since === null
    return {
      name,
      state: stateOf(answer?.state, isComplete),
      newest: reached(row),
      missingSince: row?.missing_since?.toISOString() ?? null,
      problem: answer?.problem ?? null,
    }
  })
}

type Answered = 'cosigned' | 'unreachable' | 'refused' | 'forked'

/** The last answer may be about an earlier epoch: then this one was not submitted yet. */
function stateOf(answer: Answered | undefined, isComplete: boolean): Status['witnesses'][number]['state'] {
  if (answer === 'forked') return 'forked'
  if (isComplete) return 'cosigned'
  return answer === undefined || answer === 'cosigned' ? 'waiting' : answer
}

async function auditorsOf({ pool, config: { auditor } }: Services): Promise<Status['auditors']> {
  const cosigned = await cosignedBy(pool, 'auditor')
  const vkeys = new Set([...(auditor === null ? [] : [auditor]), ...cosigned.keys()])
  return [...vkeys].map(vkey => ({
    name: vkey.split('+')[0]!,
    isConfigured: vkey === auditor,
    newest: reached(cosigned.get(vkey)),
  }))
}

async function authoritiesOf(
  { pool, config: { timeAuthority } }: Services,
  problems: Problems,
): Promise<Status['authorities']> {
  const { rows } = await pool.query<Reached & { authority: string }>(
    `SELECT r.*, ${MISSING_SINCE}
       FROM (SELECT DISTINCT ON (authority) authority, epoch, stamped_at AS at FROM ledger.stamps
              ORDER BY authority, epoch DESC) r`,
  )
  const stamped = new Map(rows.map(row => [row.authority, row]))
  const names = new Set([...(timeAuthority === null ? [] : [timeAuthority.name]), ...stamped.keys()])
  return [...names].map(name => {
    const isConfigured = name === timeAuthority?.name
    const row = stamped.get(name)
    return {
      name,
      isConfigured,
      newest: reached(row),
      missingSince: row?.missing_since?.toISOString() ?? null,
      problem: isConfigured ? (problems.get('stamps')?.problem ?? null) : null,
    }
  })
}

async function copiesOf(
  { pool, config: { bucket } }: Services,
  problems: Problems,
): Promise<Status['copies']> {
  const { rows } = await pool.query<Omit<Reached, 'missing_since'> & { place: string }>(
    'SELECT place, epoch, copied_at AS at FROM app.proof_copies ORDER BY place',
  )
  const copied = new Map(rows.map(row => [row.place, row]))
  const places = new Set([...(bucket === null ? [] : [bucket.url]), ...copied.keys()])
  return [...places].map(place => {
    const row = copied.get(place)
    return {
      place,
      isBucket: URL.canParse(place),
      newest: reached(row && { ...row, missing_since: null }),
      problem: place === bucket?.url ? (problems.get('bucket')?.problem ?? null) : null,
    }
  })
}

function signingProblems({ clock }: Services, ends: Date | null, known: Problems): Status['problems'] {
  const failed = (['signing', 'writing'] as const).flatMap(kind => {
    const problem = known.get(kind)
    return problem === undefined
      ? []
      : [{ kind, reason: problem.problem, since: problem.since.toISOString() }]
  })
  if (failed.length > 0) return failed
  const isLate = ends !== null && clock.now().getTime() > ends.getTime() + LATE_MS
  return isLate ? [{ kind: 'overdue', reason: null, since: ends.toISOString() }] : []
}

/** Published proofs of reserves that no epoch has sealed, and none can any more. */
async function unsealedReserves(pool: Services['pool'], { number }: Newest): Promise<Status['problems']> {
  const { rows } = await pool.query<{ epoch: bigint; published_at: Date }>(
    `SELECT epoch, published_at FROM app.reserve_proofs
      WHERE sealed_epoch IS NULL AND published_at IS NOT NULL
        AND published_at > coalesce((SELECT max(published_at) FROM app.reserve_proofs WHERE sealed_epoch IS NOT NULL), '-infinity')
      ORDER BY published_at DESC LIMIT 1`,
  )
  return rows
    .filter(({ epoch }) => isTooOld(epoch, number))
    .map(({ published_at }) => ({ kind: 'reserves', reason: null, since: published_at.toISOString() }))
}
