import {
  catalogueFiles,
  findTexts,
  problemsOf,
  readCatalogue,
  sources,
  writeCatalogue,
} from './i18n/catalogue.ts'

/**
 * npm run texts: finds every text in the code and writes the catalogue's files anew, new texts without translations.
 * Says what is still to be translated, and what is wrong.
 */

const found = findTexts(sources())
const known = readCatalogue()
writeCatalogue(catalogueFiles(found, known))
const problems = [
  ...found.problems,
  ...[...found.messages.values()].flatMap(message => problemsOf(message, known.get(message.key))),
]
for (const problem of problems) console.log(problem)
console.log(`${found.messages.size} texts; ${problems.length} problems.`)
if (problems.length > 0) process.exitCode = 1
