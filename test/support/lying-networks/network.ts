import type { DepositMethod, RailName } from '#shared/coins.ts'
import type { LyingNode } from '#test/support/lying-nodes/proxy.ts'

/** What a payment of the product's settings needs. */
export const CONFIRMATIONS = 3

/** Pays this address this much, in the product's minor units of the coin. */
export type Paid = { address: string; units: bigint }

/** A true chain, and a node by which the product reads it, which lies when a test says so. It ends with the test file. */
export type LyingNetwork<LieName extends string = string> = {
  readonly name: string
  readonly rail: RailName
  readonly method: DepositMethod
  /** Decimal places of the product's minor units. */
  readonly decimals: number
  /** The product's settings. The second source does not lie. */
  readonly environment: Record<string, string>
  readonly lies: readonly LieName[]
  /** Those after which nothing is right until somebody has the blocks read again. */
  readonly lasting: readonly LieName[]
  /**
   * Lets the node lie from now on, with these payments that nobody makes; null: it tells the truth again.
   * @returns how many requests the lie before this one has answered
   */
  tell(lie: LieName | null, invented?: readonly Paid[]): Promise<number>
  mine(blocks?: number): Promise<void>
  /** Of the true chain. */
  height(): Promise<number>
  /** Pays on the true chain. @returns the id of the transaction */
  pay(paid: Paid): Promise<string>
  /** On the true chain; the first one is the transaction's own block. */
  confirmationsOf(id: string): Promise<number>
}

/** @param scale the smallest units of the network in one of the product's */
export function liesOf<LieName extends string>(
  { lies, tell }: LyingNode<LieName>,
  scale = 1n,
): Pick<LyingNetwork<LieName>, 'lies' | 'tell'> {
  return {
    lies,
    tell: (lie, invented = []) =>
      tell(
        lie,
        invented.map(({ address, units }) => ({ to: address, value: units * scale })),
      ),
  }
}
