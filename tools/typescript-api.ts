/** TypeScript's compiler API, which TypeScript 7 does not have, for openapi-typescript (client-types.ts). */
export { ts as default } from '@ts-morph/common'
