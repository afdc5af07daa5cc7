import { msg, t } from '#shared/i18n/t.ts'
import { pageMeta } from '#web/meta.ts'
import { PageHead } from '#web/ui/section.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { SetUpFirst } from './set-up-first.tsx'

export const meta = pageMeta(msg('Security'))

/** Security settings, the same for investors and admins. */
export default function SecurityPage() {
  return (
    <>
      <PageHead
        title={t('Security')}
        lead={t(
          'Manage your devices, two-factor authentication and passkeys. We notify you of every login on a new device and every change here.',
        )}
      />
      <div className="grid gap-12">
        <SetUpFirst />
        <SecondFactor />
        <Passkeys />
        <Sessions />
      </div>
    </>
  )
}
