import { useLingui } from '@lingui/react/macro'

/** What is often said; anything else can be typed. For a field with `list="reasons"`. */
export function Reasons() {
  const { t } = useLingui()
  const words = [
    t`Arrived damaged`,
    t`Wrong item`,
    t`Does not fit`,
    t`Changed their mind`,
    t`Never arrived`,
    t`Cannot be delivered`,
  ]
  return (
    <datalist id="reasons">
      {words.map((word) => (
        <option key={word} value={word} />
      ))}
    </datalist>
  )
}
