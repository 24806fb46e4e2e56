import { useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useBusiness } from '../../session/use-business.ts'
import { Select } from '../../ui/field.tsx'
import { lettersQuery } from '../queries.ts'
import type { Newsletter } from '../types.ts'
import { useTitleOf } from '../words.tsx'
import type { Condition } from './segment.ts'
import { useLetterTitle } from './use-names.ts'
import { Within } from './within.tsx'

type Props = { of: Condition; newsletter: Newsletter | undefined; onChange: (condition: Condition) => void }

/** In any letter of the newsletter, or in one of the latest. */
export function ClickedFields({ of: condition, newsletter, onChange }: Props) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const title = useTitleOf()
  const { entryId = '', ...rest } = condition
  const { data } = useInfiniteQuery({
    ...lettersQuery(businessId, newsletter?.id ?? ''),
    enabled: newsletter !== undefined,
  })
  const letters = data?.pages.flatMap(({ items }) => items) ?? []
  const chosen = useLetterTitle(entryId)
  const isListed = entryId === '' || letters.some(({ id }) => id === entryId)
  return (
    <>
      <Select
        label={t`In`}
        value={entryId}
        onChange={({ target: { value } }) => onChange(value ? { ...rest, entryId: value } : rest)}
      >
        <option value="">{t`any letter`}</option>
        {!isListed && <option value={entryId}>{chosen}</option>}
        {letters.map((letter) => (
          <option key={letter.id} value={letter.id}>
            {title(letter)}
          </option>
        ))}
      </Select>
      <Within of={condition} onChange={onChange} />
    </>
  )
}
