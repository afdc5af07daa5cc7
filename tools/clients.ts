import { writeFileSync } from 'node:fs'
import { CLIENT_TYPES, clientTypes } from './client-types.ts'

/** npm run clients: writes the types of clients/typescript, made from the contract. */
writeFileSync(CLIENT_TYPES, await clientTypes())
