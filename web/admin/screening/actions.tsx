import { decideMatch, type NameMatch } from '#shared/contract/screening.ts'
import { t, translate } from '#shared/i18n/t.ts'
import type { MatchDecision } from '#shared/sanctions.ts'
import type { Entry } from '#web/admin/actions/action-dialog.tsx'
import type { Action } from '#web/admin/actions/actions.tsx'
import { shownAt } from '#web/admin/actions/latest.ts'
import { ReasonDialog } from '#web/admin/actions/reason.tsx'
import { isOwn } from '#web/admin/rights.ts'
import { consolePaths } from '#web/console-paths.ts'
import { statusWords } from './status.tsx'
import { publisherWords } from './words.ts'

/** The decision about a match: whether two names are of one person. */
export function matchActions(match: NameMatch): Action[] {
  return match.status === 'open' && !isOwn(match.user) ? [different(match), same(match)] : []
}

/** The decision or, on the match's own page alone, the rare correction by another person. */
export function matchPageActions(match: NameMatch): Action[] {
  const { status, user, decider, inForce } = match
  if (decider === null || isOwn(user) || isOwn(decider)) return matchActions(match)
  if (status === 'different' && !inForce) return []
  return status === 'same'
    ? [{ ...different(match), label: t('Correct: somebody else') }]
    : [{ ...same(match), label: t('Correct: the listed one') }]
}

function facts({ userName, listedName, list, entry }: NameMatch): Entry[] {
  return [
    [t('User'), <bdi key="user">{userName}</bdi>],
    [t('Listed name'), <bdi key="listed">{listedName}</bdi>],
    [t('List'), publisherWords(list)],
    [t('Entry'), entry],
  ]
}

const isPep = ({ list }: NameMatch) => list === 'pep'

function different(match: NameMatch): Action {
  return deciding(match, 'different', {
    label: translate(statusWords.different),
    title: t('Are they two people?'),
    description: isPep(match)
      ? t(
          'Then this match asks for nothing, also with newer files of the list, unless one of the names changes. Only another person can correct your decision.',
        )
      : t(
          'Then this match no longer stops withdrawals, also with newer files of the list, unless one of the names changes. If the account is frozen, it stays so until someone unfreezes it. Only another person can correct your decision.',
        ),
    confirm: t('Decide: somebody else'),
  })
}

function same(match: NameMatch): Action {
  return deciding(match, 'same', {
    label: translate(statusWords.same),
    title: t('Are they the listed one?'),
    description: isPep(match)
      ? t(
          'Being politically exposed is no offence: nothing is frozen, and withdrawals go on. New investments wait until the person’s identity and source of funds are verified, and we tell them so. Only another person can correct your decision.',
        )
      : t(
          'Then we freeze the account, and it stays frozen while the entry is on the list. Report to the authority what you hold, as its rules say. Only another person can correct your decision.',
        ),
    confirm: t('Decide: the listed one'),
    ...(!isPep(match) && { tone: 'danger' }),
  })
}

type Words = { label: string; title: string; description: string; confirm: string; tone?: 'danger' }

function deciding(match: NameMatch, decision: MatchDecision, { label, ...words }: Words): Action {
  const of = t('the match of {name}', { name: match.userName })
  return {
    label,
    call: decideMatch,
    of,
    about: match._id,
    ...(words.tone && { tone: words.tone }),
    dialog: close => (
      <ReasonDialog
        call={decideMatch}
        reader="staff"
        {...words}
        entries={facts(match)}
        input={reason => ({
          params: { id: match._id },
          body: { decision, reason, corrects: match.decider !== null },
        })}
        shown={shownAt(consolePaths.nameMatch(match._id), of, false)}
        onClose={close}
      />
    ),
  }
}
