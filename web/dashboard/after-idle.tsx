import { useEffect } from 'react'
import { registerWorker } from '#web/register-worker.ts'
import { AnnouncementBanner } from './announcements/banner.tsx'
import { IdentityNotice } from './identity/notice.tsx'
import { ProofAlarm } from './proof/alarm.tsx'

/** What stands above every page, and must not delay it. */
export function Notices() {
  useEffect(registerWorker, [])
  return (
    <>
      <ProofAlarm />
      <AnnouncementBanner />
      <IdentityNotice />
    </>
  )
}
