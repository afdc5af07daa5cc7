import type { SignedInContext } from '#server/context.ts'
import { fileFacts, presentFile } from '#server/returns/queries.ts'
import { requireOwn, trailOf } from '#server/statements/trail.ts'
import type { CallData } from '#shared/contract/define.ts'
import type { getEarning } from '#shared/contract/earnings.ts'
import { usdToJson } from '#shared/money.ts'
import { earningsById, presentEarning } from './queries.ts'

/**
 * An earning with the recorded returns that paid it, its postings and its history.
 * @throws AppError forbidden, not_found
 */
export async function earningDetail(
  { services: { db }, caller }: SignedInContext,
  id: string,
): Promise<CallData<typeof getEarning>> {
  const [found] = await earningsById(db, [id])
  const row = requireOwn(found, caller, 'earning')
  const [trail, returns] = await Promise.all([
    trailOf(db, { ids: [id], ownerId: row.user_id }, caller),
    db
      .selectFrom('app.earning_sources as s')
      .innerJoin('app.returns as r', 'r.id', 's.return_id')
      .leftJoin('app.evidence_files as f', 'f.id', 'r.evidence_file')
      .select([
        's.amount_cents',
        'r.id',
        'r.source',
        'r.realised_on',
        'r.evidence',
        'r.evidence_kind',
        'r.status',
      ])
      .select(fileFacts)
      .where('s.earning_id', '=', id)
      .orderBy('r.realised_on')
      .orderBy('r.id')
      .execute(),
  ])
  return {
    ...presentEarning(row),
    ...trail,
    returns: returns.map(of => ({
      _id: of.id,
      amount: usdToJson(of.amount_cents),
      source: of.source,
      realisedAt: of.realised_on,
      evidence: of.evidence,
      evidenceKind: of.evidence_kind,
      evidenceFile: presentFile(of),
      restVoided: of.status === 'voided',
    })),
  }
}
