import { encode } from 'uqr'

/** Quiet zone in modules (ISO/IEC 18004 asks for four). */
const quietZone = 4

type QrCodeProps = {
  text: string
  label: string
  /** Error correction: L for what only screens show. */
  ecc?: 'L' | 'M'
  /** The least version, so that the codes of a series have one size. */
  minVersion?: number
}

/** A QR code as one path, dark on white in both colour schemes for cameras. Load it lazily: it needs a library. */
export default function QrCode({ text, label, ecc = 'M', minVersion = 1 }: QrCodeProps) {
  const { data, size } = encode(text, { ecc, minVersion, border: quietZone })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-full"
    >
      <path d={`M0 0h${size}v${size}H0z`} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
