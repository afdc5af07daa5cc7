import type { getUser } from '#shared/contract/console.ts'
import type { CallData } from '#shared/contract/define.ts'

export type UserDetail = CallData<typeof getUser>
