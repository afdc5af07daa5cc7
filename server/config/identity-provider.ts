import type { Environment } from './environment.ts'

/** Veriff, which looks at documents and faces; staff decide about what it finds. */
export type IdentityProvider = { url: string; apiKey: string; secret: string }

type Given = Partial<Pick<Environment, 'VERIFF_URL' | 'VERIFF_API_KEY' | 'VERIFF_SECRET'>>

const defaultUrl = 'https://stationapi.veriff.com'

export function identityProviderOf({
  VERIFF_URL: url = defaultUrl,
  VERIFF_API_KEY: apiKey,
  VERIFF_SECRET: secret,
}: Given): IdentityProvider | null {
  return apiKey === undefined || secret === undefined ? null : { url, apiKey, secret }
}

export function identityProviderErrors({ VERIFF_API_KEY: apiKey, VERIFF_SECRET: secret }: Given): string[] {
  if ((apiKey === undefined) === (secret === undefined)) return []
  return apiKey === undefined
    ? ['VERIFF_API_KEY: is required with VERIFF_SECRET']
    : ['VERIFF_SECRET: is required with VERIFF_API_KEY']
}
