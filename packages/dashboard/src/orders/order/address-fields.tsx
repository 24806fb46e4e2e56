import type { AddressFormat } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { useFormat } from '../../session/use-format.ts'
import { Field, Select } from '../../ui/field.tsx'
import { ADDRESS_FIELDS, type AddressField, type AddressTexts } from './contact.ts'

export function useAddressFormats(): readonly AddressFormat[] {
  const { locale } = useFormat()
  const { data } = useQuery({
    ...query('-', 'listAddressFormats', { query: { locale } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data?.items ?? []
}

export function useAddressNames(): Record<AddressField, string> {
  const { t } = useLingui()
  return {
    name: t`Name`,
    company: t`Company`,
    street: t`Street and number`,
    street2: t`Floor, flat`,
    zip: t`Postcode`,
    city: t`Town`,
    state: t`State`,
    country: t`Country`,
    phone: t`Telephone`,
  }
}

/** What the country asks for and was not typed. */
export function missingOf(texts: AddressTexts, formats: readonly AddressFormat[]): AddressField[] {
  const format = formats.find(({ country }) => country === texts.country)
  const required: readonly AddressField[] = format?.required ?? ['country']
  return required.filter((field) => texts[field].trim() === '')
}

type Props = {
  texts: AddressTexts
  before?: AddressTexts
  onChange: (texts: AddressTexts) => void
  /** Say what is missing: after somebody has tried to go on. */
  isStrict?: boolean
}

/** An address in the order in which its country writes it. */
export function AddressFields({ texts, before, onChange, isStrict = false }: Props) {
  const { t } = useLingui()
  const formats = useAddressFormats()
  const names = useAddressNames()
  const format = formats.find(({ country }) => country === texts.country)
  const fields = (format?.fields ?? ADDRESS_FIELDS).filter((field) => field !== 'country' && field !== 'phone')
  const missing = isStrict ? missingOf(texts, formats) : []
  const problemOf = (field: AddressField) => (missing.includes(field) ? t`This country needs it.` : undefined)
  const isEdited = (field: AddressField) => before !== undefined && before[field] !== texts[field]
  return (
    <div className="address-fields">
      <Select
        label={names.country}
        value={texts.country}
        edited={isEdited('country')}
        problem={problemOf('country')}
        onChange={(event) => onChange({ ...texts, country: event.target.value })}
      >
        <option value="">{t`Choose`}</option>
        {formats.map(({ country, name }) => (
          <option key={country} value={country}>
            {name}
          </option>
        ))}
      </Select>
      {fields.map((field) => (
        <Field
          key={field}
          label={names[field]}
          maxLength={200}
          autoComplete="off"
          edited={isEdited(field)}
          problem={problemOf(field)}
          value={texts[field]}
          onChange={(event) => onChange({ ...texts, [field]: event.target.value })}
        />
      ))}
    </div>
  )
}
