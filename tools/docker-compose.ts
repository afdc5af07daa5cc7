import { type DebianProgram, findProgram, installProgram } from './debian.ts'

/** Compose's own check of its files. */
const dockerCompose: DebianProgram = {
  name: 'docker-compose',
  variable: 'DOCKER_COMPOSE_PATH',
  packages: ['docker-compose'],
  elsewhere: 'Docker Compose',
}

export const findDockerCompose = () => findProgram(dockerCompose)
export const installDockerCompose = () => installProgram(dockerCompose)
