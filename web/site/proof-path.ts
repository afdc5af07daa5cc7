import { paths } from '#web/paths.ts'

/** The published files are below the English address, whatever the page's language. */
export const proofPath = paths.proof
