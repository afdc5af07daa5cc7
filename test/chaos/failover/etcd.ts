import { type ServerUser, spawnAs } from '#server/embedded/server-user.ts'
import { atEnd } from '#test/support/clean-up.ts'
import { type Watched, watch } from '#test/support/processes.ts'
import { etcdSettings, type Place } from './place.ts'

/** The members of etcd, one a machine, each of which can be killed and started again. */
export class Etcd {
  readonly #program: string
  readonly #user: ServerUser | null
  readonly #places: readonly Place[]
  readonly #members: Watched[] = []

  constructor(program: string, user: ServerUser | null, places: readonly Place[]) {
    this.#program = program
    this.#user = user
    this.#places = places
    for (const member of places.keys()) this.start(member)
    atEnd(() => this.killAll())
  }

  start(member: number): void {
    const env = etcdSettings(this.#places[member]!)
    this.#members[member] = watch(this.#program, [], { ...spawnAs(this.#user), env })
  }

  async kill(member: number): Promise<void> {
    this.#members[member]!.child.kill('SIGKILL')
    await this.#members[member]!.ended()
  }

  async killAll(): Promise<void> {
    await Promise.all(this.#members.map((_, member) => this.kill(member)))
  }

  startAll(): void {
    for (const member of this.#members.keys()) this.start(member)
  }

  /** The member that was elected last, by the members' logs. */
  leader(): number {
    const elected = this.#members.flatMap(({ output }) => [
      ...output().matchAll(/elected leader (\w+) at term (\d+)/g),
    ])
    const [, id] = elected.toSorted((one, other) => Number(one[2]) - Number(other[2])).at(-1)!
    return this.#members.findIndex(({ output }) => output().includes(`${id} became leader`))
  }
}
