import { pageMeta } from '#web/meta.ts'
import { PageHead } from '#web/ui/section.tsx'
import { Sessions } from './sessions.tsx'

export const meta = pageMeta('Security')

/** What keeps one's account one's own; the same page for investors and admins. */
export default function SecurityPage() {
  return (
    <>
      <PageHead
        title="Security"
        lead="Where you are logged in, and what keeps others out. We tell you of a login on a new device, and of every change here, by email and by the bell."
      />
      <div className="grid gap-12">
        <Sessions />
      </div>
    </>
  )
}
