import { countryNames, localCountries } from '#shared/countries.ts'
import { t } from '#shared/i18n/t.ts'
import { Select } from '#web/ui/input.tsx'

/** The native select of countries, which a browser can fill in. A name that an older account has stays a choice. */
export function CountrySelect({ stored }: { stored?: string }) {
  const isOther = stored && !countryNames.some(name => name === stored)
  return (
    <Select autoComplete="country-name" defaultValue={stored}>
      <option value="">{t('Choose a country')}</option>
      {isOther && <option>{stored}</option>}
      {localCountries().map(({ name, words }) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </Select>
  )
}
