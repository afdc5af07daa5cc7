import { type Binding, query } from '#server/context.ts'
import * as call from '#shared/contract/proof.ts'
import { overviewOf } from './overview.ts'

export const routes: Binding[] = [query(call.proofOverview, (_input, { services }) => overviewOf(services))]
