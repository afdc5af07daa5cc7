import { Component, type ReactNode, Suspense } from 'react'
import { lazyModule } from '#web/lazy-module.ts'
import { FailedState } from '#web/ui/states.tsx'
import { PlotLoading } from './frame.tsx'

type Plots = typeof import('./plots.tsx')

const plots = lazyModule<Plots>(() => import('./plots.tsx'))

type LazyPlotProps = { draw: (plots: Plots) => ReactNode }

/** A drawing whose library loads when first needed. If it cannot load, the page keeps its figures and tables. */
export class LazyPlot extends Component<LazyPlotProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  readonly retry = () => {
    // A second failure shows again.
    plots.load().catch(() => {})
    this.setState({ failed: false })
  }

  override render() {
    if (this.state.failed) {
      return (
        <FailedState onRetry={this.retry}>
          The chart could not be drawn. Its figures are in the table.
        </FailedState>
      )
    }
    return (
      <Suspense fallback={<PlotLoading />}>
        <Drawing draw={this.props.draw} />
      </Suspense>
    )
  }
}

function Drawing({ draw }: LazyPlotProps) {
  return draw(plots.read())
}
