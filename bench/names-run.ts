import { fullNames, measureNames } from './names.ts'

/** npm run bench:names [-- --people=1000000 --entries=100000]: how long people are compared with sanctions lists (bench/README.md). */
const given = (name: keyof typeof fullNames) => {
  const value = process.argv.find(word => word.startsWith(`--${name}=`))?.split('=')[1]
  return value === undefined ? fullNames[name] : Number(value)
}

const { people, entries, names, seconds, matched, matches } = await measureNames({
  people: given('people'),
  entries: given('entries'),
})
console.log(
  `${people} people, ${entries} entries (${names} names): ${seconds.toFixed(1)} s, ${(matched / people).toFixed(4)} of the people with ${matches} matches`,
)
