import { msg } from '#shared/i18n/t.ts'

/** Words on the link preview picture, drawn by the build for every firm. */
export const linkPictureWords = msg('Books you can check')

/** Shown everywhere in a demonstration (D2). */
export const demonstrationNotice = msg('Demonstration: not a real firm. Do not send money.')
