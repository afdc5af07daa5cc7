import { environment, loadConfig } from '#server/config.ts'
import { type ClusterLogin, clusterLogins } from '#server/embedded/cluster.ts'
import { embeddedUrl } from '#server/embedded/embedded.ts'
import { EXIT_CONFIG, EXIT_FAILURE, StartupError } from '#server/platform/startup-error.ts'
import { reportEnd } from '#server/process/lifetime.ts'

/**
 * npm run -s db:url -- app|owner|superuser: prints the running embedded database's connection string for a login, and
 * nothing else: for psql, backups and tests.
 */
function main(login = ''): void {
  if (!Object.hasOwn(clusterLogins, login)) {
    const logins = Object.keys(clusterLogins).join('|')
    throw new StartupError(`npm run -s db:url -- ${logins}`, EXIT_FAILURE)
  }
  const config = loadConfig(environment(), { makesSecret: false })
  if (config.database !== null) {
    throw new StartupError('db:url is for the embedded database, and DATABASE_URL is set.', EXIT_CONFIG)
  }
  console.log(embeddedUrl(config.dataDir, login as ClusterLogin))
}

try {
  main(process.argv[2])
} catch (error) {
  reportEnd(error)
}
