import type { Config } from '@react-router/dev/config'

export default {
  appDirectory: 'web',
  buildDirectory: 'build',
  // The manifest of some thirty routes is small: one request instead of one for each link met.
  routeDiscovery: { mode: 'initial' },
} satisfies Config
