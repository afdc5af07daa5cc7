import { sql } from 'kysely'
import { type AuditLine, asSystem, auditAll } from '#server/audit/log.ts'
import type { Services, Tx } from '#server/context.ts'
import { type Token, tokenDecimals } from '#server/rails/chain.ts'
import { emailAdmins, lockAdmins } from '#server/staff/admins.ts'
import { type RailName, railLabels } from '#shared/coins.ts'
import { t } from '#shared/i18n/t.ts'
import { formatDecimal } from '#shared/money.ts'

/** A confirmed payment to an address that was shown to someone who has closed their account since. */
type Late = { userId: string; transferId: bigint; transaction: string; token: Token; units: bigint }

/**
 * Tells the admins of payments to closed accounts, once each. Nothing is credited to such an account; once staff have reopened it,
 * the next sync credits what arrived, by the rules for late payments.
 * @returns how many they were told of
 */
export async function tellOfPaymentsAfterClosing(services: Services, rail: RailName): Promise<number> {
  return services.db.transaction().execute(async tx => {
    const late = await untold(tx, rail)
    const admins = late.length === 0 ? [] : await lockAdmins(tx)
    for (const [userId, payments] of Map.groupBy(late, payment => payment.userId)) {
      await auditAll(tx, asSystem(services), payments.map(lineOf))
      await emailAdmins(tx, { services }, admins, () => ({
        subject: t('A payment arrived for a closed account on {network}', { network: railLabels[rail] }),
        paragraphs: [
          t('Not credited: {payments}.', { payments: payments.map(wordsOf).join('; ') }),
          t(
            'The owner closed the account before it arrived and cannot log in. Reopen the account to credit it and pay it out: the owner is then told by email.',
          ),
        ],
        action: { label: t('Open the account'), path: `/admin/user?id=${userId}` },
      }))
    }
    return late.length
  })
}

async function untold(tx: Tx, rail: RailName): Promise<Late[]> {
  const { rows } = await sql<Late>`
    SELECT u.id AS "userId", t.id AS "transferId", t.transaction_id AS transaction, t.token, t.units
      FROM (
        SELECT t.id FROM app.chain_cursors c
          JOIN app.chain_transfers t ON t.rail = c.rail AND t.block_height <= c.synced_height - c.confirmations + 1
         WHERE c.rail = ${rail} AND t.credited_units < t.units AND t.ignored_reason IS NULL AND t.receiving
         UNION
        SELECT t.id FROM app.chain_cursors c
          JOIN app.chain_transfers t ON t.rail = c.rail AND t.block_height <= c.synced_height - c.confirmations + 1
         WHERE c.rail = ${rail} AND t.ignored_reason = 'wrong_asset'
      ) due
      JOIN app.chain_transfers t ON t.id = due.id
      JOIN app.payment_addresses a ON app.address_key(a.address) = t.address AND a.rail = t.rail
      JOIN app.users u ON u.id = a.user_id AND (t.ignored_reason IS NULL AND u.closed_at IS NOT NULL OR t.seen_at > u.closed_at)
     WHERE NOT EXISTS (
             SELECT FROM app.audit_log l
              WHERE l.subject_id = u.id AND l.action = 'account.paid_after_closing'
                AND l.details ->> 'transfer' = t.id::text)
     ORDER BY t.id`.execute(tx)
  return rows
}

const wordsOf = ({ units, token, transaction }: Late) =>
  t('{amount} in transaction {transaction}', {
    amount: `${formatDecimal(units, tokenDecimals[token])} ${token}`,
    transaction,
  })

/** The account's history shows it, and no later sync tells of it again. */
function lineOf({ userId, transferId, transaction, token, units }: Late): AuditLine {
  return {
    action: 'account.paid_after_closing',
    subject: { kind: 'user', id: userId },
    details: {
      transfer: `${transferId}`,
      transaction,
      amount: `${formatDecimal(units, tokenDecimals[token])} ${token}`,
    },
  }
}
