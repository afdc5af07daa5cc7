import type { ReactNode } from 'react'
import {
  approveProposal,
  type Proposal,
  type ProposalContent,
  rejectProposal,
  type SettingValues,
  withdrawProposal,
} from '#shared/contract/proposals.ts'
import { roleNames } from '#shared/roles.ts'
import { Usd } from '#web/components/amounts.tsx'
import { ActDialog, type Entry } from './act-dialog.tsx'
import type { Action } from './actions.tsx'
import { WhyField, whyFault } from './reason.tsx'

export function earningsWords({ earningsSecondApproval }: SettingValues): string {
  return earningsSecondApproval ? 'Wait for a second approval' : 'Are paid at once'
}

/** What a proposal would change, each with how it is and how it would be. */
export function changesOf(content: ProposalContent): Entry[] {
  switch (content.kind) {
    case 'settings':
      return settingChanges(content)
    case 'second_factors':
      return [['Reset the second factors of', personOf(content)]]
    case 'role':
      return [
        ['Change the role of', personOf(content)],
        ['From, to', `${roleNames[content.before]} → ${roleNames[content.after]}`],
      ]
    case 'invitation':
      return [
        ['Invite', `${content.name}, ${content.email}`],
        ['Role', roleNames[content.role]],
      ]
  }
}

function personOf({ userName, userEmail }: { userName: string; userEmail: string }): string {
  return `${userName}, ${userEmail}`
}

function settingChanges({ before, after }: { before: SettingValues; after: SettingValues }): Entry[] {
  const changes: Entry[] = []
  if (before.largeWithdrawal !== after.largeWithdrawal) {
    changes.push([
      'Withdrawals need two approvals above',
      <Change
        key="limit"
        from={<Usd value={before.largeWithdrawal} />}
        to={<Usd value={after.largeWithdrawal} />}
      />,
    ])
  }
  if (before.earningsSecondApproval !== after.earningsSecondApproval) {
    changes.push(['Earnings', `${earningsWords(before)} → ${earningsWords(after)}`])
  }
  return changes
}

function Change({ from, to }: { from: ReactNode; to: ReactNode }) {
  return (
    <>
      {from} → {to}
    </>
  )
}

/** What may be done with a proposal: by who has made it, withdraw it; by every other admin, decide it. */
export function proposalActions(proposal: Proposal, ownId: string | undefined): Action[] {
  if (proposal.status !== 'pending' || ownId === undefined) return []
  if (proposal.proposedBy === ownId) return [withdraw(proposal)]
  const { content } = proposal
  // Nobody decides what is about himself.
  return 'user' in content && content.user === ownId ? [] : [approve(proposal), reject(proposal)]
}

function factsOf(proposal: Proposal): Entry[] {
  return [
    ...changesOf(proposal.content),
    ['Proposed by', proposal.proposedByName],
    ['Reason', proposal.reason],
  ]
}

const of = ({ proposedByName }: Proposal) => `the proposal of ${proposedByName}`

function approve(proposal: Proposal): Action {
  return {
    label: 'Approve',
    of: of(proposal),
    call: approveProposal,
    dialog: close => (
      <ActDialog
        call={approveProposal}
        title="Approve this proposal?"
        description="It takes effect at once."
        entries={factsOf(proposal)}
        confirm="Approve proposal"
        input={() => ({ params: { id: proposal._id } })}
        onClose={close}
      />
    ),
  }
}

const reasonFields = ['reason'] as const

function reject(proposal: Proposal): Action {
  return {
    label: 'Reject',
    of: of(proposal),
    tone: 'danger',
    call: rejectProposal,
    dialog: close => (
      <ActDialog
        call={rejectProposal}
        title="Reject this proposal?"
        description="Nothing changes. It can be proposed again."
        entries={factsOf(proposal)}
        confirm="Reject proposal"
        tone="danger"
        fields={reasonFields}
        check={whyFault}
        input={({ reason }) => ({ params: { id: proposal._id }, body: { reason: reason.trim() } })}
        onClose={close}
      >
        <WhyField autoFocus />
      </ActDialog>
    ),
  }
}

function withdraw(proposal: Proposal): Action {
  return {
    label: 'Withdraw',
    of: of(proposal),
    call: withdrawProposal,
    dialog: close => (
      <ActDialog
        call={withdrawProposal}
        title="Withdraw your proposal?"
        description="Nothing changes. Another admin has to approve it before anything does."
        entries={factsOf(proposal)}
        confirm="Withdraw proposal"
        input={() => ({ params: { id: proposal._id } })}
        onClose={close}
      />
    ),
  }
}
