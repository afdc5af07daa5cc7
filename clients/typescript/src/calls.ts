import type { paths } from './contract.ts'

/** Every call that an API key can make, by its path. */
export type Path = keyof paths
type Parameters<P extends Path> = paths[P]['get']['parameters']
type Content<P extends Path> = paths[P]['get']['responses'][200]['content']
/** The content of a call's answer if it is JSON. */
export type Answer<P extends Path> = Content<P> extends { 'application/json': infer A } ? A : never

/** Calls whose answer is JSON. */
export type JsonPath = { [P in Path]: [Answer<P>] extends [never] ? never : P }[Path]
/** Calls that answer lists, page by page. */
export type ListPath = { [P in JsonPath]: Answer<P> extends List ? P : never }[JsonPath]
/** Calls that answer files. */
export type FilePath = Exclude<Path, JsonPath>
export type List = { data: unknown[]; page: { nextCursor: string | null } }

/** What a call answers: `Data<'/console/summary'>`. */
export type Data<P extends JsonPath> = Answer<P> extends { data: infer D } ? D : never
/** One row of a list: `Row<'/withdrawal/get-all'>`. */
export type Row<P extends ListPath> = Data<P> extends (infer R)[] ? R : never

/** Parameters of the path and query of a call. */
export type Given<P extends Path> = Pick<Parameters<P>, 'path' | 'query'>
export type Options = {
  /** Ends the call, also while it waits for a retry; it throws the signal's reason. */
  signal?: AbortSignal
}
/** The arguments after a call's path; they can be omitted if it has no required parameters. */
export type Arguments<P extends Path> = [undefined, undefined] extends [
  Parameters<P>['path'],
  Parameters<P>['query'],
]
  ? [request?: Given<P> & Options]
  : [request: Given<P> & Options]
