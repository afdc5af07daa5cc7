export type { Answer, Data, FilePath, JsonPath, ListPath, Path, Row } from './calls.ts'
export { type Client, type ClientSettings, createClient, defaultLimits, type Limits } from './client.ts'
export { type Code, Refusal, TimeLimit, UnexpectedAnswer } from './errors.ts'
export { toCents, type Usd } from './money.ts'
