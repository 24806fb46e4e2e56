import { formatAddress } from 'localized-address-format'
import { COUNTRIES } from '#vocabulary/countries.ts'
import type { AddressFormat } from './schemas.ts'

const POSTAL_CODE_NEEDED = new Set(
  `AT AU AX BE BG BR CA CH CN CY CZ DE DK EE ES FI FO FR GB GG GL GR HR HU IM IN IS IT JE JP KR LI LT LU LV MC MT MX MY NL NO NZ
   PL PR PT RO RS RU SE SG SI SJ SK SM TH TR TW UA US VA ZA`.split(/\s+/),
)
const STATE_NEEDED = new Set('AE AU BR CA CN CO ES HK ID IN IT JP KR MX SV TW US VE'.split(' '))

type Field = AddressFormat['fields'][number]

/** The fields in the order in which the country writes them: each field is given its own name, and the lines are read back. */
function fieldsOf(country: string): Field[] {
  const lines = formatAddress({
    postalCountry: country,
    name: 'name',
    organization: 'company',
    addressLines: ['street', 'street2'],
    locality: 'city',
    administrativeArea: 'state',
    postalCode: 'zip',
  })
  const written = lines.join(' ').match(/name|company|street2?|city|state|zip/g) as Field[]
  return [...written, 'country', 'phone']
}

function needsOf(country: string, fields: readonly Field[]): Field[] {
  const isNeeded: Partial<Record<Field, boolean>> = {
    name: true,
    street: true,
    city: true,
    state: STATE_NEEDED.has(country),
    zip: POSTAL_CODE_NEEDED.has(country),
    country: true,
  }
  return fields.filter((field) => isNeeded[field])
}

/** How the addresses of each country are written, and what cannot be missing; countries in the order of their names. */
function addressFormats(locale: string): AddressFormat[] {
  const names = new Intl.DisplayNames([locale], { type: 'region' })
  const formats = [...COUNTRIES].map((country) => {
    const fields = fieldsOf(country)
    return { country, name: names.of(country) ?? country, fields, required: needsOf(country, fields) }
  })
  return formats.sort((a, b) => a.name.localeCompare(b.name, locale))
}

const MAX_LOCALES = 20
const known = new Map<string, AddressFormat[]>()

/** Made once for each language that is asked for, up to a number of them: anybody may ask for any. */
export function formatsIn(locale: string): AddressFormat[] {
  const formats = known.get(locale) ?? addressFormats(locale)
  if (known.size < MAX_LOCALES) known.set(locale, formats)
  return formats
}
