import { useEffect } from 'react'
import { Outlet, useNavigate } from 'react-router'
import { sessionEnded } from './api/session.ts'
import { paths } from './paths.ts'
import type { RouteHandle } from './root.tsx'
import { Toaster } from './ui/toaster.tsx'

/** Everything that runs in the browser stands in here: account, dashboard and admin pages. */
export const handle: RouteHandle = { scripts: true }

export default function Shell() {
  const navigate = useNavigate()
  useEffect(() => sessionEnded.on(() => void navigate(paths.login)), [navigate])
  return (
    <>
      <Outlet />
      <Toaster />
    </>
  )
}
