import { Component, type ReactNode, Suspense } from 'react'
import { t } from '#shared/i18n/t.ts'
import { lazyModule, ModuleLoadError } from '#web/lazy-module.ts'
import { FailedState } from '#web/ui/states.tsx'
import { PlotLoading } from './frame.tsx'

type Plots = typeof import('./plots.tsx')

const plots = lazyModule<Plots>(() => import('./plots.tsx'))

type LazyPlotProps = { draw: (plots: Plots) => ReactNode }
type LazyPlotState = { error: unknown }

/** A drawing whose library loads when first needed. If it cannot load, the page keeps its figures and tables. */
export class LazyPlot extends Component<LazyPlotProps, LazyPlotState> {
  override state: LazyPlotState = { error: undefined }

  static getDerivedStateFromError(error: unknown): LazyPlotState {
    return { error }
  }

  readonly retry = () => {
    // After a deployment the file is gone; a new document names the new one.
    plots.load().catch(() => navigator.onLine && location.reload())
    this.setState({ error: undefined })
  }

  override render() {
    const { error } = this.state
    if (error !== undefined) {
      if (!(error instanceof ModuleLoadError)) throw error
      return (
        <div role="status">
          <FailedState onRetry={this.retry}>
            {t('The chart could not be drawn. Its figures are in the table.')}
          </FailedState>
        </div>
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
