import type { InvariantRun } from '#server/ledger/invariants.ts'

/** A run of the invariant check as text: a line per invariant, and a summary. */
export function checkLines(run: InvariantRun): string[] {
  const seconds = (run.finished_at.getTime() - run.started_at.getTime()) / 1000
  const broken = run.checks.filter(({ faults }) => faults > 0)
  return [
    ...run.checks.map(({ statement, examined, faults }) =>
      faults === 0
        ? `  ✓ ${statement} (${examined.toLocaleString('en')} checked)`
        : `  ✗ ${statement}: ${faults.toLocaleString('en')} faults in ${examined.toLocaleString('en')}`,
    ),
    broken.length === 0
      ? `The books are in order: ${run.checks.length} promises held, in ${seconds.toFixed(1)} s (run ${run.id})`
      : `The books are NOT in order: ${broken.length} of ${run.checks.length} promises broken (run ${run.id})`,
  ]
}
