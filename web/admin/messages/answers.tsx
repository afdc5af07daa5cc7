import { useState } from 'react'
import { type CannedAnswer, listAnswers } from '#shared/contract/canned-answers.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { longestSearch, maximumAnswers } from '#shared/limits.ts'
import { Actions } from '#web/admin/actions/actions.tsx'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { WrittenText } from '#web/components/written-text.tsx'
import { pageMeta } from '#web/meta.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { Input } from '#web/ui/input.tsx'
import { PageHead } from '#web/ui/section.tsx'
import { EmptyState, FailedState, Loading } from '#web/ui/states.tsx'
import { answerActions, NewAnswer } from './answer-dialogs.tsx'
import { matching } from './matching.ts'

export const meta = pageMeta(msg('Prepared answers'))

/** What staff keep to answer messages with. */
export default function AnswersPage() {
  const { data, isError, refetch } = useRead(listAnswers, {})
  const [isOpen, setOpen] = useState(false)
  const isFull = data !== undefined && data.length >= maximumAnswers
  return (
    <>
      <PageHead
        title={t('Prepared answers')}
        lead={t(
          'Texts to insert into replies to messages. Everybody who answers messages can use and edit them.',
        )}
        aside={
          <Button
            disabled={isFull}
            title={isFull ? t('There are {count, number} already', { count: maximumAnswers }) : undefined}
            onClick={() => setOpen(true)}
          >
            {t('New answer')}
          </Button>
        }
      />
      {data ? (
        <Answers all={data} />
      ) : isError ? (
        <FailedState onRetry={() => void refetch()}>{t('The answers could not be loaded.')}</FailedState>
      ) : (
        <Loading label={t('Loading the answers')} lines={6} />
      )}
      {isOpen && <NewAnswer onClose={() => setOpen(false)} />}
    </>
  )
}

function Answers({ all }: { all: readonly CannedAnswer[] }) {
  const [q, setQ] = useState('')
  const found = matching(all, q)
  if (all.length === 0) return <EmptyState>{t('No prepared answers yet')}</EmptyState>
  return (
    <>
      <Input
        type="search"
        aria-label={t('Search answers')}
        placeholder={t('Title or text')}
        maxLength={longestSearch}
        className="mb-4 max-w-sm"
        value={q}
        onChange={event => setQ(event.currentTarget.value)}
      />
      <p role="status" className="mb-2 text-ink-faint text-sm">
        {found.length === all.length
          ? t('{total, plural, one {# answer} other {# answers}}', { total: all.length })
          : t('{found, number} of {total, plural, one {# answer} other {# answers}}', {
              found: found.length,
              total: all.length,
            })}
      </p>
      {found.length === 0 && <EmptyState>{t('No answers match this search.')}</EmptyState>}
      <ul>
        {found.map(answer => (
          <Entry key={answer._id} answer={answer} />
        ))}
      </ul>
    </>
  )
}

function Entry({ answer }: { answer: CannedAnswer }) {
  const { title, text, changedAt, changedBy } = answer
  return (
    <li className="grid gap-2 border-rule border-t py-5">
      <h2 dir="auto" className="font-medium wrap-anywhere">
        {title}
      </h2>
      <WrittenText>{text}</WrittenText>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <span className="text-ink-soft text-sm">
          {tr('Changed {when}, {name}', { when: <When at={changedAt} />, name: <bdi>{changedBy}</bdi> })}
        </span>
        <Actions actions={answerActions(answer)} none={null} />
      </div>
    </li>
  )
}
