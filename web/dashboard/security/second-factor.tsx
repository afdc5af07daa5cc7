import { useState } from 'react'
import type { CallData } from '#shared/contract/define.ts'
import {
  beginSecondFactor,
  endSecondFactor,
  renewRecoveryCodes,
  secondFactor,
} from '#shared/contract/second-factor.ts'
import { t } from '#shared/i18n/t.ts'
import { recoveryCodeCount } from '#shared/limits.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { tr } from '#web/tr.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { CodeDialog } from './code-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes.tsx'
import { SetupDialog } from './setup-dialog.tsx'
import { useVerifiedSession } from './verified-session.ts'

const anchor = 'second-factor'
/** The section keeps the focus, because its buttons change. */
const section = () => document.getElementById(anchor) ?? undefined

type Standing = CallData<typeof secondFactor>
/** The open dialog. */
type Open =
  | { dialog: 'setup'; secret: string; uri: string }
  | { dialog: 'codes'; codes: string[] }
  | { dialog: 'renew' | 'off' }

/** Two-factor authentication by app codes (F-01, F-02). */
export function SecondFactor() {
  const { data, isError, refetch } = useRead(secondFactor, {})
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  return (
    <Section
      title={t('Two-factor authentication')}
      anchor={anchor}
      className="outline-none"
      aside={data && <Badge tone={data.on ? 'good' : 'plain'}>{data.on ? t('On') : t('Off')}</Badge>}
    >
      {data ? (
        <Standing data={data} onOpen={setOpen} />
      ) : isError ? (
        <FailedState onRetry={refetch}>{t('Your two-factor settings could not be loaded.')}</FailedState>
      ) : (
        <Loading label={t('Loading your two-factor settings')} lines={2} />
      )}
      {open && <Opened open={open} onOpen={setOpen} onClose={close} />}
    </Section>
  )
}

function Standing({ data, onOpen }: { data: Standing; onOpen: (open: Open) => void }) {
  return data.on ? <WhereOn data={data} onOpen={onOpen} /> : <WhereOff onOpen={onOpen} />
}

function WhereOff({ onOpen }: { onOpen: (open: Open) => void }) {
  const begin = useMutation(beginSecondFactor, {
    success: false,
    onSuccess: made => onOpen({ dialog: 'setup', ...made }),
  })
  return (
    <div className="grid justify-items-start gap-4">
      <p className="max-w-2xl text-ink-soft">
        {t('We ask for a code from your phone when you log in, so a stolen password isn’t enough.')}
      </p>
      <Button busy={begin.pending} onClick={() => void begin.run({})}>
        {t('Set up two-factor authentication')}
      </Button>
    </div>
  )
}

function WhereOn({ data, onOpen }: { data: Standing; onOpen: (open: Open) => void }) {
  const left = data.recoveryCodesLeft
  const codes = { left, count: recoveryCodeCount }
  return (
    <div className="grid justify-items-start gap-4">
      <p className="max-w-2xl text-ink-soft">
        {data.since
          ? tr('Logging in with your password also needs a code from your app, since {day}.', {
              day: <When at={data.since} date />,
            })
          : t('Logging in with your password also needs a code from your app.')}{' '}
        {left <= 3
          ? t('{left} of {count} recovery codes are left: create new ones soon.', codes)
          : t('{left} of {count} recovery codes are left.', codes)}
      </p>
      <div className="flex flex-wrap gap-3">
        <Button tone="quiet" onClick={() => onOpen({ dialog: 'renew' })}>
          {t('Create new recovery codes')}
        </Button>
        <Button tone="danger" onClick={() => onOpen({ dialog: 'off' })}>
          {t('Turn off')}
        </Button>
      </div>
    </div>
  )
}

type OpenedProps = { open: Open; onOpen: (open: Open) => void; onClose: () => void }

function Opened({ open, onOpen, onClose }: OpenedProps) {
  const shown = useVerifiedSession()
  const showCodes = (codes: string[]) => onOpen({ dialog: 'codes', codes })
  const renew = useMutation(renewRecoveryCodes, { onSuccess: made => showCodes(made.recoveryCodes) })
  const off = useMutation(endSecondFactor, { onSuccess: onClose })
  switch (open.dialog) {
    case 'setup':
      return (
        <SetupDialog
          secret={open.secret}
          uri={open.uri}
          onDone={async codes => {
            await shown()
            showCodes(codes)
          }}
          onClose={onClose}
        />
      )
    case 'codes':
      return <RecoveryCodesDialog codes={open.codes} onClose={onClose} focusAfter={section} />
    case 'renew':
      return (
        <CodeDialog
          title={t('Create new recovery codes?')}
          confirm={t('Create new codes')}
          mutation={renew}
          onClose={onClose}
        >
          {t('Your current codes will stop working.')}
        </CodeDialog>
      )
    case 'off':
      return (
        <CodeDialog
          title={t('Turn off two-factor authentication?')}
          confirm={t('Turn off')}
          tone="danger"
          mutation={off}
          onClose={onClose}
          focusAfter={section}
        >
          {t('Your password alone will be enough to log in, and your recovery codes stop working.')}
        </CodeDialog>
      )
  }
}
