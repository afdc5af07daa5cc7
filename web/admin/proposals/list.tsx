import { me } from '#shared/contract/accounts.ts'
import { listProposals, type Proposal, type ProposalGroup } from '#shared/contract/proposals.ts'
import { getSettings } from '#shared/contract/settings.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { proposalsAnchor } from '#web/admin/anchor.ts'
import { isOwn } from '#web/admin/rights.ts'
import { useList } from '#web/api/list.ts'
import { useRead } from '#web/api/read.ts'
import { ByWhen } from '#web/components/by-when.tsx'
import { ListStates } from '#web/components/list-states.tsx'
import { tr } from '#web/tr.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { focusHome } from '#web/ui/focus-home.ts'
import { Section } from '#web/ui/section.tsx'
import { EmptyState } from '#web/ui/states.tsx'
import { changesOf, proposalActions } from './actions.tsx'
import { stillLoading } from './propose-button.tsx'

const statuses: Record<Proposal['status'], [words: string, tone: Tone]> = {
  pending: [msg('Awaiting a second admin'), 'wait'],
  approved: [msg('Approved'), 'good'],
  rejected: [msg('Rejected'), 'bad'],
  withdrawn: [msg('Withdrawn'), 'plain'],
  expired: [msg('Expired'), 'plain'],
}

/** Proposals and their decisions, newest first. */
export function ProposalsSection({ kind }: { kind: ProposalGroup }) {
  const { data: own } = useRead(me, {})
  const list = useList(listProposals, { kind, limit: 10 })
  return (
    <Section title={t('Proposals')} anchor={proposalsAnchor}>
      <ListStates
        home
        list={list}
        of={t('the proposals')}
        lines={4}
        empty={<EmptyState>{t('No proposals yet')}</EmptyState>}
      >
        {rows => (
          <ul>
            {rows.map(proposal => (
              <ProposalEntry key={proposal._id} proposal={proposal} ownId={own?._id} />
            ))}
          </ul>
        )}
      </ListStates>
    </Section>
  )
}

function ProposalEntry({ proposal, ownId }: { proposal: Proposal; ownId: string | undefined }) {
  const [words, tone] = statuses[proposal.status]
  const { decidedAt, decidedByName, decisionReason } = proposal
  return (
    <li
      {...focusHome}
      className="grid gap-3 border-rule border-t py-5 outline-none first:border-t-0 first:pt-0"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <span className="flex flex-wrap items-center gap-3">
          <Badge tone={tone}>{translate(words)}</Badge>
          <span className="text-ink-faint text-sm">
            {tr('Proposed by {nameAndTime}', {
              nameAndTime: <ByWhen by={proposal.proposedByName} at={proposal.createdAt} />,
            })}
          </span>
        </span>
        <Actions actions={proposalActions(proposal, ownId)} none={null} />
      </div>
      <DescriptionList
        entries={[
          ...changesOf(proposal.content),
          [t('Reason'), proposal.reason],
          [
            t('Decided', {}, 'when'),
            decidedAt && <ByWhen key="decided" by={decidedByName ?? t('Automatic')} at={decidedAt} />,
          ],
          [t('Reason for the decision'), decisionReason],
        ]}
      />
    </li>
  )
}

/** Why nobody can propose what needs two admins, in words; undefined if they can. */
export function useTooFewAdmins(): string | undefined {
  const { data, isError } = useRead(getSettings, {})
  if (!data) return isError ? t('The number of admins could not be loaded') : stillLoading
  return data.admins < 2 ? t('This needs two admins') : undefined
}

/**
 * The same where one proposal at a time can wait. If pending ones cannot be read, the server still refuses a second one.
 */
export function useBlocked(kind: ProposalGroup): string | undefined {
  const tooFew = useTooFewAdmins()
  const waiting = useList(listProposals, { kind, status: 'pending', limit: 1 })
  if (tooFew !== undefined) return tooFew
  if (!waiting.rows && !waiting.isError) return stillLoading
  const [open] = waiting.rows ?? []
  if (!open) return undefined
  return isOwn(open.proposedBy)
    ? t('Withdraw your open proposal first, or wait until another admin decides it')
    : t('Decide the open proposal first')
}
