import { Link, useLocation } from 'react-router'
import type { UserType } from '#shared/contract/entities.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { useRootState } from '#web/api/root-state.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { landingPath } from '#web/return-to.ts'
import { tr } from '#web/tr.ts'
import { Button } from '#web/ui/button.tsx'
import { AccountHead } from './layout.tsx'
import { useTypeLoggedIn } from './type-logged-in.ts'

const leadsTo = { admin: msg('Go to the console'), investor: msg('Go to your dashboard') }

/** Tells a visitor who is already logged in as whom, and links on. The form stays, to register someone else. */
export function LoggedInNotice() {
  const type = useTypeLoggedIn()
  if (!type) return null
  return (
    <p className="wrap-anywhere border-accent border-s-4 bg-accent-soft px-4 py-3 text-sm">
      <AsWhom />{' '}
      <Link className="prose-link" to={landingPath(type)}>
        {translate(leadsTo[type])}
      </Link>
    </p>
  )
}

/** State of the history entry to which the verification of an email address leads. */
export const afterVerification = { verified: true }

type LoggedInProps = {
  type: UserType
  /** Shows the form. */
  onOther: () => void
}

/** Takes the place of the login form for those who are logged in, as after verifying their email address. */
export function LoggedIn({ type, onOther }: LoggedInProps) {
  const { state } = useLocation()
  const isVerified = (state as Partial<typeof afterVerification> | null)?.verified
  return (
    <>
      <AccountHead title={isVerified ? t('Email verified') : t('Already logged in')}>
        <AsWhom />
      </AccountHead>
      <div className="flex flex-wrap gap-3">
        <LinkButton to={landingPath(type)}>{translate(leadsTo[type])}</LinkButton>
        <Button tone="quiet" onClick={onOther}>
          {t('Log in as someone else')}
        </Button>
      </div>
    </>
  )
}

function AsWhom() {
  const name = useRootState(state => state.name)
  return name ? tr('You are logged in as {name}.', { name: <bdi>{name}</bdi> }) : t('You are logged in.')
}
