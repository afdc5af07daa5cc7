import { useState } from 'react'
import { compareBirths } from '#shared/contract/screening.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import type { BirthVerdict } from '#shared/sanctions.ts'
import { mayCall } from '#web/admin/rights.ts'
import { useMutation } from '#web/api/mutation.ts'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'

const verdicts: Record<BirthVerdict, readonly [words: string, tone: Tone, more: string]> = {
  agrees: [
    msg('It agrees with the list'),
    'bad',
    msg('Many people share a date or year of birth: compare the rest, too.'),
  ],
  contradicts: [
    msg('It contradicts the list'),
    'good',
    msg('Lists can be wrong about dates: compare the rest, too, and decide yourself.'),
  ],
  unclear: [msg('It cannot be compared'), 'plain', msg('The list has no date of birth, or only roughly.')],
  unknown: [
    msg('We do not know it'),
    'plain',
    msg('The person has not proved their identity, or the documents were deleted.'),
  ],
}

/** Whether the sealed date of birth of the verified identity fits the entry, once a member of staff asks, which the audit log keeps. */
export function Births({ id }: { id: string }) {
  const [verdict, setVerdict] = useState<BirthVerdict>()
  const { run, pending } = useMutation(compareBirths, {
    success: false,
    onSuccess: data => setVerdict(data.verdict),
  })
  if (!mayCall(compareBirths)) {
    return (
      <p className="max-w-prose text-ink-soft">
        {t(
          'Dates of birth are stored encrypted. Someone with the role Admin or Compliance can compare them.',
        )}
      </p>
    )
  }
  if (verdict === undefined) {
    return (
      <div className="grid justify-items-start gap-4">
        <p className="max-w-prose text-ink-soft">
          {t(
            'The date of birth in the verified document is stored encrypted. We compare it with the list without showing it, and the audit log keeps who asked.',
          )}
        </p>
        <Button busy={pending} onClick={() => void run({ params: { id } })}>
          {t('Compare dates of birth')}
        </Button>
      </div>
    )
  }
  const [words, tone, more] = verdicts[verdict]
  return (
    <div role="status" className="grid justify-items-start gap-2">
      <Badge tone={tone}>{translate(words)}</Badge>
      <p className="max-w-prose text-ink-soft">{translate(more)}</p>
    </div>
  )
}
