import { Link } from 'react-router'
import { me } from '#shared/contract/accounts.ts'
import { useRead } from '#web/api/read.ts'
import { paths } from '#web/paths.ts'

/** Where money is about to move: says beforehand what an unverified address holds up (D-25). */
export function VerifyNotice() {
  const { data: user } = useRead(me, {})
  if (!user || user.emailVerified) return null
  return (
    <p className="mb-8 border-wait border-l-4 bg-wait-soft px-4 py-3 text-sm text-wait">
      Your email address is not verified yet. You can look around; to deposit, invest or withdraw,{' '}
      <Link className="underline underline-offset-2" to={paths.verify(user.email)}>
        enter the code sent to {user.email}
      </Link>
      .
    </p>
  )
}
