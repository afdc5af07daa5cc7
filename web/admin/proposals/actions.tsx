import { Fragment, type ReactNode } from 'react'
import type { ChangedTranslations } from '#shared/contract/policies.ts'
import {
  approveProposal,
  type Proposal,
  type ProposalContent,
  rejectProposal,
  type SettingValues,
  withdrawProposal,
} from '#shared/contract/proposals.ts'
import { type Language, sourceLanguage, translatedLanguages } from '#shared/i18n/languages.ts'
import { t, translate } from '#shared/i18n/t.ts'
import { type PolicyKind, policyTitles } from '#shared/policies.ts'
import { roleNames } from '#shared/roles.ts'
import { ActionDialog, type Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { brandChanges } from '#web/admin/brand/changes.tsx'
import { keyFacts, webhookFacts } from '#web/admin/integrations/words.tsx'
import { languageName } from '#web/admin/language-name.ts'
import { PolicyText, TextNow } from '#web/admin/policies/translations.tsx'
import { settingLabels, settingNames, settingWords } from '#web/admin/settings/words.tsx'
import { Day } from '#web/components/when.tsx'
import { capital } from '#web/ui/capital.ts'

/** Changes of a proposal, each before and after. */
export function changesOf(content: ProposalContent): Entry[] {
  switch (content.kind) {
    case 'settings':
      return settingChanges(content)
    case 'brand':
      return brandChanges(content)
    case 'second_factors':
      return [[t('Reset two-factor authentication of'), personOf(content)]]
    case 'role':
      return [
        [t('Change the role of'), personOf(content)],
        [
          t('From, to'),
          <Change
            key="role"
            before={translate(roleNames[content.before])}
            after={translate(roleNames[content.after])}
          />,
        ],
      ]
    case 'invitation':
      return [
        [t('Invite'), personOf({ userName: content.name, userEmail: content.email })],
        [t('Role'), translate(roleNames[content.role])],
      ]
    case 'policy':
      return policyEntries(content)
    case 'policy_translation':
      return comparedEntries(content)
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
  translations,
}: Extract<ProposalContent, { kind: 'policy' }>): Entry[] {
  return [
    [t('Publish'), translate(policyTitles[policy])],
    [t('In force from'), <Day key="from" on={from} />],
    [t('What changes'), changes],
    [t('Text'), <TextToRead key="text" text={text} />],
    ...translationEntries(translations),
  ]
}

function translationEntries(translations: ChangedTranslations): Entry[] {
  return translatedLanguages.flatMap((language): Entry[] => {
    const translation = translations[language]
    if (!translation) return []
    const { text, changes } = translation
    const shown =
      text === null ? (
        t('Removed: readers see the English text')
      ) : (
        <TextToRead key={language} {...{ text, changes, language }} />
      )
    return [[capital(languageName(language)), shown]]
  })
}

/** What two people compare before it replaces something: the original, and what is shown now. */
function comparedEntries({ policy, version, translations }: Translations): Entry[] {
  const of = { kind: policy, version }
  const now = translatedLanguages.filter(language => language in translations)
  return [
    [t('Translate'), policyName({ policy, version })],
    [
      t('Original'),
      <TextNow key="original" policy={of} language={sourceLanguage} label={t('Read the text')} />,
    ],
    ...translationEntries(translations),
    ...now.map(
      (language): Entry => [
        t('{language}: shown now', { language: capital(languageName(language)) }),
        <TextNow key={language} policy={of} language={language} label={t('Read the text')} />,
      ],
    ),
  ]
}

type Translations = Extract<ProposalContent, { kind: 'policy_translation' }>

type TextProps = { text: string; changes?: string | null; language?: Language }

function TextToRead({ text, changes = null, language = sourceLanguage }: TextProps) {
  return (
    <details className="text-start">
      <summary className="text-end">{t('Read the text')}</summary>
      <PolicyText {...{ text, changes, language }} />
    </details>
  )
}

function policyName({ policy, version }: { policy: PolicyKind; version: number }): string {
  return t('{policy}, version {version}', { policy: translate(policyTitles[policy]), version })
}

function personOf({ userName, userEmail }: { userName: string; userEmail: string }): ReactNode {
  return (
    <Fragment key="person">
      <bdi>{userName}</bdi>, <bdi>{userEmail}</bdi>
    </Fragment>
  )
}

/** What it was and what it becomes, in the direction of reading. */
function Change({ before, after }: { before: ReactNode; after: ReactNode }) {
  return (
    <>
      {before} <span className="inline-block rtl:-scale-x-100">→</span> {after}
    </>
  )
}

function settingChanges({ before, after }: { before: SettingValues; after: SettingValues }): Entry[] {
  return settingNames
    .filter(name => before[name] !== after[name])
    .map(name => [
      translate(settingLabels[name]),
      <Change key={name} before={settingWords[name](before)} after={settingWords[name](after)} />,
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
    [t('Proposed by'), proposal.proposedByName],
    [t('Reason for it'), proposal.reason],
  ]
}

/** What a proposal is about, as its buttons name it. */
function subjectOf(content: ProposalContent): string {
  switch (content.kind) {
    case 'settings':
      return t('the change of settings')
    case 'brand':
      return t('the new look')
    case 'second_factors':
      return t('the reset for {name}', { name: content.userName })
    case 'role':
      return t('the role of {name}', { name: content.userName })
    case 'invitation':
      return t('the invitation of {name}', { name: content.name })
    case 'policy':
      return t('the policy {policy}', { policy: translate(policyTitles[content.policy]) })
    case 'policy_translation':
      return t('the translations of {policy}', { policy: policyName(content) })
    case 'api_key':
      return t('the API key {name}', { name: content.name })
    case 'webhook':
      return t('the webhook {name}', { name: content.name })
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
    ? t('Everybody can read it at once. It is in force from the day below.')
    : t('It takes effect at once.')
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
    label: t('Withdraw', {}, 'a proposal or an invitation'),
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
