import { Link } from 'react-router'
import { me } from '#shared/contract/accounts.ts'
import { useRead } from '#web/api/read.ts'
import { useSite } from '#web/frame.ts'
import { paths } from '#web/paths.ts'
import { tr } from '#web/tr.ts'

const look = 'mb-8 border-wait border-s-4 bg-wait-soft px-4 py-3 text-sm text-wait'

/** Warns on money pages that a freeze or an unverified address (D-25) blocks transfers. */
export function AccountNotice() {
  const { data: user } = useRead(me, {})
  const { firm } = useSite()
  if (!user) return null
  if (user.frozen) {
    return (
      <p className={look}>
        {tr(
          'Your account is frozen: you cannot deposit, invest or withdraw for now. Your money stays where it is. Email {email} to ask why.',
          {
            email: (
              <a className="underline underline-offset-2" href={`mailto:${firm.supportEmail}`}>
                {firm.supportEmail}
              </a>
            ),
          },
        )}
      </p>
    )
  }
  if (user.emailVerified) return null
  return (
    <p className={look}>
      {tr(
        'Your email address is not verified yet. To deposit, invest or withdraw, <link>enter the code sent to {email}</link>.',
        {
          email: <bdi>{user.email}</bdi>,
          link: words => (
            <Link className="underline underline-offset-2" to={paths.verify(user.email)}>
              {words}
            </Link>
          ),
        },
      )}
    </p>
  )
}
