import { Fragment } from 'react'
import {
  approveProposal,
  type Proposal,
  type ProposalContent,
  rejectProposal,
  type SettingValues,
  withdrawProposal,
} from '#shared/contract/proposals.ts'
import { t } from '#shared/i18n/t.ts'
import { policyTitles } from '#shared/policies.ts'
import { roleNames } from '#shared/roles.ts'
import { ActionDialog, type Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { brandChanges } from '#web/admin/brand/changes.tsx'
import { keyFacts, webhookFacts } from '#web/admin/integrations/words.tsx'
import { settingLabels, settingNames, settingWords } from '#web/admin/settings/words.tsx'
import { Markdown } from '#web/components/markdown.tsx'
import { Day } from '#web/components/when.tsx'

/** Changes of a proposal, each before and after. */
export function changesOf(content: ProposalContent): Entry[] {
  switch (content.kind) {
    case 'settings':
      return settingChanges(content)
    case 'brand':
      return brandChanges(content)
    case 'second_factors':
      return [['Reset two-factor authentication of', personOf(content)]]
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
    case 'policy':
      return policyEntries(content)
    case 'api_key':
      return keyFacts(content)
    case 'webhook':
      return webhookFacts(content)
  }
}

function policyEntries({
  policy,
  from,
  changes,
  text,
}: Extract<ProposalContent, { kind: 'policy' }>): Entry[] {
  return [
    ['Publish', policyTitles[policy]],
    ['In force from', <Day key="from" on={from} />],
    ['What changes', changes],
    [
      'Text',
      <details key="text" className="text-left">
        <summary className="text-right">{t('Read the text')}</summary>
        <Markdown text={text} />
      </details>,
    ],
  ]
}

function personOf({ userName, userEmail }: { userName: string; userEmail: string }): string {
  return `${userName}, ${userEmail}`
}

function settingChanges({ before, after }: { before: SettingValues; after: SettingValues }): Entry[] {
  return settingNames
    .filter(name => before[name] !== after[name])
    .map(name => [
      settingLabels[name],
      <Fragment key={name}>
        {settingWords[name](before)} → {settingWords[name](after)}
      </Fragment>,
    ])
}

/** Actions on a proposal: its author may withdraw it, other admins decide it, and its subject may only reject it. */
export function proposalActions(proposal: Proposal, ownId: string | undefined): Action[] {
  if (proposal.status !== 'pending' || ownId === undefined) return []
  if (proposal.proposedBy === ownId) return [withdraw(proposal)]
  const { content } = proposal
  const isAboutOneself = 'user' in content && content.user === ownId
  return isAboutOneself ? [reject(proposal)] : [approve(proposal), reject(proposal)]
}

function factsOf(proposal: Proposal): Entry[] {
  return [
    ...changesOf(proposal.content),
    ['Proposed by', proposal.proposedByName],
    ['Reason for it', proposal.reason],
  ]
}

/** What a proposal is about, as its buttons name it. */
function subjectOf(content: ProposalContent): string {
  switch (content.kind) {
    case 'settings':
      return 'the change of settings'
    case 'brand':
      return 'the new look'
    case 'second_factors':
      return `the reset for ${content.userName}`
    case 'role':
      return `the role of ${content.userName}`
    case 'invitation':
      return `the invitation of ${content.name}`
    case 'policy':
      return `the policy ${policyTitles[content.policy]}`
    case 'api_key':
      return `the API key ${content.name}`
    case 'webhook':
      return `the webhook ${content.name}`
  }
}

/** An action without a reason. */
type Plain = {
  label: string
  call: typeof approveProposal | typeof withdrawProposal
  title: string
  description: string
  confirm: string
}

function plain(proposal: Proposal, { label, ...words }: Plain): Action {
  return {
    label,
    of: subjectOf(proposal.content),
    call: words.call,
    dialog: close => (
      <ActionDialog
        {...words}
        entries={factsOf(proposal)}
        optionalReason="log"
        input={() => ({ params: { id: proposal._id } })}
        onClose={close}
      />
    ),
  }
}

/** A policy states its day among the facts. */
function effectOf(content: Proposal['content']): string {
  return content.kind === 'policy'
    ? 'Everybody can read it at once. It is in force from the day below.'
    : 'It takes effect at once.'
}

function approve(proposal: Proposal): Action {
  return plain(proposal, {
    label: t('Approve'),
    call: approveProposal,
    title: t('Approve this proposal?'),
    description: effectOf(proposal.content),
    confirm: t('Approve proposal'),
  })
}

function withdraw(proposal: Proposal): Action {
  return plain(proposal, {
    label: t('Withdraw'),
    call: withdrawProposal,
    title: t('Withdraw your proposal?'),
    description: t('Nothing changes. It can be proposed again.'),
    confirm: t('Withdraw proposal'),
  })
}

function reject(proposal: Proposal): Action {
  return {
    label: t('Reject'),
    of: subjectOf(proposal.content),
    tone: 'danger',
    call: rejectProposal,
    dialog: close => (
      <ReasonDialog
        call={rejectProposal}
        reader="log"
        title={t('Reject this proposal?')}
        description={t('Nothing changes. It can be proposed again.')}
        entries={factsOf(proposal)}
        confirm={t('Reject proposal')}
        tone="danger"
        input={reason => ({ params: { id: proposal._id }, body: { reason } })}
        onClose={close}
      />
    ),
  }
}
