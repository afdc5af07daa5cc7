import { countryNames, localCountries } from '#shared/countries.ts'
import { t } from '#shared/i18n/t.ts'
import { useRuns } from '#web/runs.ts'
import { Select } from '#web/ui/input.tsx'

/** The native select of countries, which a browser can fill in. A name that an older account has stays a choice. */
export function CountrySelect({ stored }: { stored?: string }) {
  // Browsers and servers name some countries differently: the document has their English names.
  const countries = useRuns() ? localCountries() : countryNames.map(name => ({ name, words: name }))
  const isOther = stored && !countryNames.some(name => name === stored)
  return (
    <Select autoComplete="country-name" defaultValue={stored}>
      <option value="">{t('Choose a country')}</option>
      {isOther && <option>{stored}</option>}
      {countries.map(({ name, words }) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </Select>
  )
}
