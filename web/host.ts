import { createContext } from 'react-router'
import type { WebHost } from '#shared/web.ts'

/** The web server behind the loaders and actions of the public pages: `context.get(hostContext).call(…)`. */
export const hostContext = createContext<WebHost>()
