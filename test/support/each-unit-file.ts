import { beforeAll } from 'vitest'
import { languageInStore } from '#server/platform/language.ts'
import { languageFrom } from '#shared/i18n/language.ts'

// Unit tests share their modules: a file may have left another language behind.
beforeAll(() => languageFrom(languageInStore))
