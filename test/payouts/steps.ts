import fc from 'fast-check'

/** What people, wallets and the network do. `pick` chooses among what there is. */
export type Step =
  | Act
  /** Two people at once, or a person and the sync. */
  | { do: 'race'; acts: [Act, Act] }

export type Act =
  | { do: 'create'; count: number }
  | { do: 'download'; pick: number }
  | { do: 'cancel'; pick: number }
  | { do: 'raise'; pick: number }
  /** A person signs a file and pastes it. */
  | { do: 'paste'; pick: number }
  | { do: 'review'; pick: number }
  /** A wallet broadcasts what it signed, past us. */
  | { do: 'relay'; pick: number }
  /** The wallet uses a slot in its own way. */
  | { do: 'misuse'; pick: number; how: 'nothing' | 'other' | 'same' | 'less' | 'one slot' }
  | { do: 'mine'; count: number; prefer: number | null }
  | { do: 'reorg'; depth: number; prefer: number | null; forgets: boolean }
  | { do: 'evict' }
  /** A worker that dies after so many statements; null: it does not. */
  | { do: 'sync'; dies: number | null }
  | { do: 'pass'; minutes: number }

/** Counted from the newest, which is chosen most often. */
const pick = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(1_000) })
const mostlyNull = (of: fc.Arbitrary<number>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: of })
const prefer = mostlyNull(pick)

const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('create' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('download' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('raise' as const), pick }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('paste' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('review' as const), pick }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('relay' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('misuse' as const),
      pick,
      how: fc.constantFrom(
        'nothing' as const,
        'other' as const,
        'same' as const,
        'less' as const,
        'one slot' as const,
      ),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 2 }), prefer }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 5 }),
      prefer,
      forgets: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evict' as const) }) },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('sync' as const),
      dies: mostlyNull(fc.integer({ min: 0, max: 60 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      minutes: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(13 * 60)),
    }),
  },
)

export const steps = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: act },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('race' as const), acts: fc.tuple(act, act) }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 20, maxLength: 60, size: 'max' },
)
