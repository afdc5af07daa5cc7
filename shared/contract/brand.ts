import { z } from 'zod'
import { colourPattern } from '#shared/brand.ts'
import { logoTypes } from '#shared/evidence.ts'
import { msg, t, translate } from '#shared/i18n/t.ts'
import { logoLimits } from '#shared/limits.ts'
import { defineCall } from './define.ts'
import { reason, recordId, timestamp } from './fields.ts'

/** The firm's own look, which two admins decide. */

const colour = (label: string) =>
  z.string({ error: () => t('{label} must be a colour', { label: translate(label) }) }).regex(colourPattern, {
    error: () => t('{label} must be a colour such as #1c3f94, in lower case', { label: translate(label) }),
  })

/** A logo's file by the SHA-256 of its content, with its size in pixels. */
const picture = z.object({
  file: z.string().regex(/^[0-9a-f]{64}$/, { error: () => t('Choose the logo again') }),
  width: z.int32(),
  height: z.int32(),
})
export type Picture = z.output<typeof picture>

/** A firm's look. Null is the product's own. */
export const brandValues = z.object({
  /** The colour of links, buttons and marks in each theme. */
  accent: z.object({ light: colour(msg('Light theme')), dark: colour(msg('Dark theme')) }).nullable(),
  logo: z
    .object({
      light: picture,
      /** For the dark theme; without one, the other stands on a white ground there. */
      dark: picture.nullable(),
      /** True if the logo contains the name, which is then not written beside it. */
      withName: z.boolean(),
    })
    .nullable(),
})
export type BrandValues = z.output<typeof brandValues>

export const getBrand = defineCall({
  id: 'brand.get',
  method: 'GET',
  path: '/brand/get',
  permission: 'manage',
  summary: "The firm's look in force",
  message: msg('Brand'),
  data: z.object({
    values: brandValues,
    /** null while the product's own look is in force. */
    changedAt: timestamp.nullable(),
    /** An email in the product's own look, as HTML, for previews. */
    email: z.string(),
  }),
})

export const uploadLogo = defineCall({
  id: 'brand.uploadLogo',
  method: 'POST',
  path: '/brand/logo',
  permission: 'manage',
  upload: { field: 'logo', types: logoTypes, maximumBytes: logoLimits.bytes },
  summary: `Uploads a PNG of at most ${logoLimits.bytes / 1024} kB for a look about to be proposed; the request's body is the file itself. Its pixels alone are kept. It is removed unless a proposal names it within a day`,
  message: msg('Logo uploaded'),
  data: picture,
  refusals: ['payload_too_large', 'unsupported_media_type'],
})

export const getLogo = defineCall({
  id: 'brand.logo',
  method: 'GET',
  path: '/brand/logo/:file',
  permission: 'manage',
  summary: 'An uploaded logo, in force or not, as base64',
  message: msg('Logo'),
  params: z.object({ file: picture.shape.file }),
  data: z.object({ base64: z.string() }),
  refusals: ['not_found'],
})

export const proposeBrand = defineCall({
  id: 'brand.propose',
  method: 'POST',
  path: '/brand/propose',
  permission: 'manage',
  money: true,
  summary:
    'Proposes a look; the current one stays until another admin approves. A colour that cannot be read is refused',
  message: msg('Proposed. Another admin must approve it'),
  body: brandValues.extend({ reason }),
  data: z.object({ proposal: recordId }),
  refusals: ['wrong_state', 'proof_required'],
})
