/** Window events that announce how far the script has started. */
export const scriptEvents = {
  /** React now queues clicks until the page is hydrated. */
  runs: 'script-runs',
  /** Buttons and forms work. */
  ready: 'script-ready',
} as const
