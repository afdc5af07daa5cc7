import { useState } from 'react'
import {
  addPushDevice,
  type PushDevices as Devices,
  listPushDevices,
  removePushDevice,
} from '#shared/contract/push.ts'
import { deviceName } from '#shared/devices.ts'
import { t } from '#shared/i18n/t.ts'
import { useMutation } from '#web/api/mutation.ts'
import { useRead } from '#web/api/read.ts'
import { ConfirmCall } from '#web/components/confirm-call.tsx'
import { When } from '#web/components/when.tsx'
import { dateAndTime } from '#web/local-time.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { type Column, Table } from '#web/ui/table.tsx'
import { toast } from '#web/ui/toast.ts'
import { pushState, subscribe, unsubscribe } from './subscribe.ts'

type Device = Devices['devices'][number]

/** The section's anchor on the profile, which has the focus after a change. */
export const devicesAnchor = 'devices'

/** The browsers that show notifications (L-10), and whether this one does. */
export function PushDevices() {
  const { data, isError, refetch } = useRead(listPushDevices, {})
  const [removing, setRemoving] = useState<Device>()
  if (isError)
    return <FailedState onRetry={() => void refetch()}>{t('Your devices could not be loaded.')}</FailedState>
  if (data === undefined) return <Loading label={t('Loading your devices')} lines={3} />
  const { key, devices } = data
  return (
    <div className="grid justify-items-start gap-5">
      <p className="max-w-2xl text-ink-soft text-sm">
        {t(
          'A device shows what we also email you, even while this site is closed. It shows no amounts, because others may see your screen. Logging out on a device turns its notifications off.',
        )}
      </p>
      {devices.some(({ here }) => here) ? null : <ThisBrowser vapidKey={key} />}
      {devices.length > 0 && (
        <Table
          caption={t('Devices that get notifications')}
          columns={columnsOf(setRemoving)}
          rows={devices}
          keyOf={({ _id }) => _id}
        />
      )}
      {removing && <Remove device={removing} onClose={() => setRemoving(undefined)} />}
    </div>
  )
}

function Remove({ device, onClose }: { device: Device; onClose: () => void }) {
  return (
    <ConfirmCall
      call={removePushDevice}
      input={{ params: { id: device._id } }}
      title={t('Remove this device?')}
      confirm={t('Remove device')}
      onClose={onClose}
      onDone={() => {
        // Nothing is sent to it any more, whether or not the browser takes part.
        if (device.here) void unsubscribe().catch(() => {})
      }}
      focusTo={() => document.getElementById(devicesAnchor)}
    >
      {t('{device} no longer shows notifications. You can turn them on there again.', {
        device: deviceName(device.userAgent),
      })}
    </ConfirmCall>
  )
}

function columnsOf(onRemove: (device: Device) => void): readonly Column<Device>[] {
  return [
    {
      header: t('Device'),
      cell: device => (
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {deviceName(device.userAgent)}
          {device.here && <Badge tone="good">{t('This browser')}</Badge>}
        </span>
      ),
    },
    { header: t('Added'), cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      header: t('Actions'),
      bare: true,
      numeric: true,
      cell: device => (
        <Button
          tone="quiet"
          size="sm"
          aria-label={t('Remove {device}, added {moment}', {
            device: deviceName(device.userAgent),
            moment: dateAndTime(new Date(device.createdAt)),
          })}
          onClick={() => onRemove(device)}
        >
          {t('Remove')}
        </Button>
      ),
    },
  ]
}

/** The browser asks its user only after the button. */
function ThisBrowser({ vapidKey }: { vapidKey: string }) {
  const [state, setState] = useState(pushState)
  const [asking, setAsking] = useState(false)
  // The button is gone by then.
  const onSuccess = () => document.getElementById(devicesAnchor)?.focus()
  const { run, pending } = useMutation(addPushDevice, { onSuccess })
  if (state === 'none') {
    return (
      <p>
        {t(
          'This browser cannot show notifications from websites. On an iPhone or iPad, add this site to the Home Screen first.',
        )}
      </p>
    )
  }
  if (state === 'denied') {
    return (
      <p>
        {t(
          'This browser blocks notifications from us. Allow them in its settings for this site, then load this page again.',
        )}
      </p>
    )
  }
  const turnOn = async () => {
    setAsking(true)
    try {
      const subscription = await subscribe(vapidKey)
      if (subscription === undefined) toast.plain(t('Notifications stay off: you have not allowed them'))
      else run({ body: subscription })
    } catch {
      toast.error(t('This browser could not reach its push service. Try again later'))
    } finally {
      setAsking(false)
      setState(pushState())
    }
  }
  return (
    <Button busy={asking || pending} onClick={() => void turnOn()}>
      {t('Turn on in this browser')}
    </Button>
  )
}
