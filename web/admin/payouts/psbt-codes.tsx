import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { encode } from 'uqr'
import { msg, t, translate } from '#shared/i18n/t.ts'
import QrCode from '#web/components/qr-code.tsx'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { Select } from '#web/ui/input.tsx'
import { type QrFormat, qrFormats } from './qr-frames.ts'

const devices: Record<QrFormat, string> = {
  ur: msg('Passport, Jade and others (UR)'),
  bbqr: 'Coldcard Q (BBQr)',
}

/** A part goes from dark to light and back twice a second at most, where three are allowed (WCAG 2.3.1). */
const frameMs = 250

type PsbtCodesProps = {
  psbt: Uint8Array
  name: string
  /** What is done with what the device has signed. */
  then: string
}

/** A PSBT as QR codes, one after the other until it is paused. Load it lazily: it needs libraries. */
export default function PsbtCodes({ psbt, name, then }: PsbtCodesProps) {
  const [format, setFormat] = useState<QrFormat>('ur')
  const frames = useMemo(() => qrFormats[format](psbt), [format, psbt])
  const minVersion = useMemo(() => encode(frames[0]!, { ecc: 'L' }).version, [frames])
  const [at, setAt] = useState(0)
  const [isMoving, setMoving] = useState(() => !matchMedia('(prefers-reduced-motion: reduce)').matches)
  const { length } = frames
  useEffect(() => {
    if (!isMoving || length === 1) return
    const timer = setInterval(() => setAt(last => (last + 1) % length), frameMs)
    return () => clearInterval(timer)
  }, [isMoving, length])
  const place = at % length
  const choose = (value: string) => {
    setFormat(value as QrFormat)
    setAt(0)
  }
  return (
    <div className="grid w-full max-w-sm gap-3">
      <Field name="format" label={t('Your device')}>
        <Select value={format} onChange={event => choose(event.target.value)}>
          {Object.entries(devices).map(([value, words]) => (
            <option key={value} value={value}>
              {translate(words)}
            </option>
          ))}
        </Select>
      </Field>
      <div className="aspect-square w-full overflow-hidden rounded-sm border border-rule">
        <QrCode
          text={frames[place]!}
          label={t('{name} as QR codes', { name })}
          ecc="L"
          minVersion={minVersion}
        />
      </div>
      {length > 1 && (
        <div className="flex flex-wrap items-center gap-3">
          <Button tone="quiet" size="sm" onClick={() => setMoving(!isMoving)}>
            {isMoving ? <Pause aria-hidden="true" /> : <Play aria-hidden="true" />}
            {isMoving ? t('Pause') : t('Play')}
          </Button>
          {!isMoving && (
            <>
              <Button
                tone="quiet"
                size="sm"
                aria-label={t('Previous code')}
                onClick={() => setAt((place + length - 1) % length)}
              >
                <ChevronLeft className="rtl:-scale-x-100" aria-hidden="true" />
              </Button>
              <span className="tabular-nums">
                {t('{part, number} of {parts, number}', { part: place + 1, parts: length })}
              </span>
              <Button
                tone="quiet"
                size="sm"
                aria-label={t('Next code')}
                onClick={() => setAt((place + 1) % length)}
              >
                <ChevronRight className="rtl:-scale-x-100" aria-hidden="true" />
              </Button>
            </>
          )}
        </div>
      )}
      <p className="text-ink-soft text-sm">
        {length === 1
          ? t('Hold your device’s camera to the code.')
          : isMoving
            ? t(
                'Hold your device’s camera to the code until it has read all {parts, plural, one {# part} other {# parts}}.',
                { parts: length },
              )
            : t(
                'Press Play, and hold your device’s camera to the code until it has read all {parts, plural, one {# part} other {# parts}}.',
                { parts: length },
              )}{' '}
        {then}
      </p>
    </div>
  )
}
